import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { Cursors } from "../../src/domain/cursor.ts";
import { INT64_MAX } from "../../src/domain/int64.ts";

const BASE64URL = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";

const id = fc.oneof(fc.constantFrom(0n, 1n, 2n ** 53n + 1n, INT64_MAX), fc.bigInt(0n, INT64_MAX));
const secret = fc.uint8Array({ minLength: 32, maxLength: 32 });
const filter = fc.oneof(fc.constantFrom("", "available", "pending", "sold"), fc.string());
const scope = fc.record({ list: fc.oneof(fc.constantFrom("listPets", "listOrders"), fc.string()), filter });

/** A cursor as it was issued, with all that it was issued for. */
const issued = fc.record({ id, secret, scope }).map(({ id, secret, scope }) => {
  const cursors = new Cursors(secret);
  return { id, secret, scope, cursors, cursor: cursors.issue(id, scope) };
});

describe("a cursor", () => {
  test("gives back its id to an instance that has the secret", () => {
    fc.assert(
      fc.property(issued, ({ id, secret, scope, cursor }) =>
        expect(new Cursors(secret).read(cursor, { ...scope })).toBe(id),
      ),
      { numRuns: 2000 },
    );
  });

  test("needs no escapes in a query", () => {
    fc.assert(fc.property(issued, ({ cursor }) => expect(encodeURIComponent(cursor)).toBe(cursor)));
  });

  test("is refused for another filter or another list", () => {
    fc.assert(
      fc.property(issued, scope, ({ cursors, cursor, scope }, other) => {
        fc.pre(other.list !== scope.list || other.filter !== scope.filter);
        expect(cursors.read(cursor, other)).toBeUndefined();
        expect(cursors.read(cursor, { ...scope, filter: `${scope.filter} ` })).toBeUndefined();
      }),
      { numRuns: 2000 },
    );
  });

  test("is refused where list and filter only look the same when put together", () => {
    fc.assert(
      fc.property(
        fc.string(),
        fc.string({ minLength: 1 }),
        fc.string(),
        secret,
        (one, two, three, secret) => {
          const cursors = new Cursors(secret);
          const cursor = cursors.issue(1n, { list: one + two, filter: three });
          expect(cursors.read(cursor, { list: one, filter: two + three })).toBeUndefined();
        },
      ),
    );
  });

  test("is refused under another secret", () => {
    fc.assert(
      fc.property(issued, secret, ({ cursor, scope, ...original }, other) => {
        fc.pre(Buffer.compare(original.secret, other) !== 0);
        expect(new Cursors(other).read(cursor, scope)).toBeUndefined();
      }),
      { numRuns: 1000 },
    );
  });

  test("is refused when any one character is another", () => {
    const characters = [...BASE64URL, ..."+/=%. \n\0é😀"];
    fc.assert(
      fc.property(issued, ({ cursors, cursor, scope }) => {
        for (let at = 0; at < cursor.length; at++) {
          for (const character of characters) {
            if (cursor[at] === character) continue;
            const changed = cursor.slice(0, at) + character + cursor.slice(at + 1);
            expect(cursors.read(changed, scope)).toBeUndefined();
          }
        }
      }),
      { numRuns: 10 },
    );
  });

  test("is refused when anything is inserted, removed or swapped", () => {
    const inserted = fc.string({
      unit: fc.constantFrom(...BASE64URL, ..."=+/ \n"),
      minLength: 1,
      maxLength: 4,
    });
    fc.assert(
      fc.property(issued, fc.nat(32), inserted, ({ cursors, cursor, scope }, at, text) => {
        const [before, after] = [cursor.slice(0, at), cursor.slice(at)];
        const swapped = before.slice(0, -1) + after.slice(0, 1) + before.slice(-1) + after.slice(1);
        const changes = [before + text + after, before, before + after.slice(1), swapped];
        for (const changed of changes.filter((changed) => changed !== cursor)) {
          expect(cursors.read(changed, scope)).toBeUndefined();
        }
      }),
      { numRuns: 2000 },
    );
  });

  test("cannot be guessed", () => {
    const made = fc.oneof(
      fc.string(),
      fc.string({ unit: fc.constantFrom(...BASE64URL), minLength: 32, maxLength: 32 }),
      fc
        .uint8Array({ minLength: 24, maxLength: 24 })
        .map((bytes) => Buffer.from(bytes).toString("base64url")),
    );
    fc.assert(
      fc.property(made, secret, scope, (text, secret, scope) =>
        expect(new Cursors(secret).read(text, scope)).toBeUndefined(),
      ),
      { numRuns: 2000 },
    );
  });
});
