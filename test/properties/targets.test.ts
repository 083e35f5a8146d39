import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { Failure } from "../../src/domain/failure.ts";
import { type RouteMatch, Routes } from "../../src/http/request/routes.ts";
import { decodeEscapes, parseQuery, rawTarget, splitTarget } from "../../src/http/request/target.ts";
import { CATALOGUE } from "../../src/operations/catalogue.ts";

/** A text percent-encoded, more than it must be: any byte may be written as an escape, in either case. */
function encoded(text: string) {
  const bytes = [...new TextEncoder().encode(text)];
  return fc
    .array(fc.constantFrom("bare", "lower", "upper"), { minLength: bytes.length, maxLength: bytes.length })
    .map((spellings) =>
      bytes
        .map((byte, at) => {
          const character = String.fromCharCode(byte);
          if (spellings[at] === "bare" && /[A-Za-z0-9._~!$'()*,;:@-]/.test(character)) return character;
          const hex = byte.toString(16).padStart(2, "0");
          return `%${spellings[at] === "upper" ? hex.toUpperCase() : hex}`;
        })
        .join(""),
    );
}

const unicodeCharacter = fc.oneof(
  fc.string({ unit: "binary", minLength: 1, maxLength: 1 }),
  fc.constantFrom(..."/%?#&=+. "),
);
const unicode = fc.string({ unit: unicodeCharacter, maxLength: 8 });
/** ASCII in which most escapes are broken or are not UTF-8. */
const escapes = fc.oneof(
  fc.constantFrom("%", "%4", "%zz", "%ff", "%c3", "%c3%a9", "%C3%A9", "%ed%a0%80", "%f4%90%80%80", "%c0%80"),
  fc.constantFrom("%41", "%00", "%2F", "%25", "a", "=", "+", "%ef%bb%bf", "%e2%82", "%e2%82%ac"),
);
const doubtful = fc.string({ unit: escapes, maxLength: 6 });

describe("percent escapes", () => {
  test("are read as UTF-8 whatever was escaped", () => {
    const pairs = unicode.chain((text) => fc.tuple(fc.constant(text), encoded(text)));
    fc.assert(
      fc.property(pairs, ([text, spelled]) => expect(decodeEscapes(spelled)).toBe(text)),
      { numRuns: 2000 },
    );
  });

  test("that are broken or not UTF-8 are refused, and no others", () => {
    fc.assert(
      fc.property(doubtful, (text) => {
        const decoded = decodeEscapes(text);
        expect(decoded instanceof Failure ? undefined : decoded).toBe(decodedByBytes(text));
      }),
      { numRuns: 5000 },
    );
  });
});

describe("a query", () => {
  test("is read as browsers write it", () => {
    const pairs = fc.array(fc.tuple(unicode, unicode), { maxLength: 5 });
    fc.assert(
      fc.property(pairs, (pairs) => {
        const written = new URLSearchParams(pairs);
        expect(valuesOf(written.toString())).toEqual(grouped([...written]));
      }),
      { numRuns: 1000 },
    );
  });

  test("is read as browsers read it, where its escapes are right", () => {
    const parts = fc.oneof(
      fc.constantFrom("a", "b", "=", "&", "+", "%41", "%C3%A9", "%26", "%3d", "?", "/"),
      escapes,
    );
    fc.assert(
      fc.property(fc.string({ unit: parts, maxLength: 8 }), (query) => {
        const broken = query.split(/[&=]/).some((part) => decodedByBytes(part) === undefined);
        if (broken) expect(parseQuery(query)).toBeInstanceOf(Failure);
        else expect(valuesOf(query)).toEqual(grouped([...new URLSearchParams(`?${query}`)]));
      }),
      { numRuns: 5000 },
    );
  });

  test("begins at the first question mark of the target", () => {
    const path = fc.stringMatching(/^\/[a-z/%0-9.]{0,10}$/);
    const query = fc.stringMatching(/^[a-z?&=/%0-9]{0,10}$/);
    fc.assert(
      fc.property(
        fc.constantFrom("", "http://127.0.0.1:8080", "http://[::1]"),
        path,
        query,
        (origin, path, query) => {
          expect(splitTarget(rawTarget(`${origin}${path}?${query}`))).toEqual({ path, query });
          expect(splitTarget(rawTarget(origin + path))).toEqual({ path, query: "" });
        },
      ),
    );
  });
});

describe("a path", () => {
  const routes = new Routes(CATALOGUE);
  const find = (path: string) => routes.find("GET", path) as RouteMatch;

  test("takes any segment as a parameter, a slash in it too when it is escaped", () => {
    const pairs = fc
      .string({ unit: unicodeCharacter, minLength: 1, maxLength: 8 })
      .chain((text) => fc.tuple(fc.constant(text), encoded(text)));
    fc.assert(
      fc.property(pairs, ([text, spelled]) => {
        const { operation, route } = find(`/v1/pets/${spelled}`);
        expect(operation?.id).toBe("getPet");
        expect(route instanceof Failure ? route : route.path).toEqual({ petId: text });
      }),
      { numRuns: 1000 },
    );
  });

  test("is found however its letters are escaped", () => {
    fc.assert(
      fc.property(encoded("pets"), (spelled) =>
        expect(find(`/v1/${spelled}`).operation?.id).toBe("listPets"),
      ),
    );
  });

  test("that is unknown leads nowhere, whatever it is", () => {
    const segment = fc.oneof(fc.constantFrom("", "pets", "Pets", "1", "..", ".", "v1"), doubtful);
    fc.assert(
      fc.property(fc.array(segment, { maxLength: 4 }), (segments) => {
        const path = ["/v1", ...segments].join("/");
        const decoded = segments.map(decodedByBytes);
        const { operation, route } = find(path);
        if (decoded.includes(undefined)) {
          expect(route).toMatchObject({ code: "malformed_escape" });
        } else if (
          decoded[0] === "pets" &&
          (decoded.length === 1 || (decoded.length === 2 && decoded[1] !== ""))
        ) {
          expect(operation?.id).toBe(decoded.length === 1 ? "listPets" : "getPet");
        } else {
          expect(operation).toBeUndefined();
          expect(route).toMatchObject({ code: "path_not_found" });
        }
      }),
      { numRuns: 3000 },
    );
  });
});

/** Decoded by way of bytes; `undefined` where an escape is broken or the bytes are not UTF-8. */
function decodedByBytes(text: string): string | undefined {
  const bytes: number[] = [];
  for (const [, hex, character] of text.matchAll(/%([0-9A-Fa-f]{2})|(.)/gs)) {
    if (character === "%") return undefined;
    if (hex !== undefined) bytes.push(Number.parseInt(hex, 16));
    else bytes.push((character ?? "").charCodeAt(0));
  }
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(Uint8Array.from(bytes));
  } catch {
    return undefined;
  }
}

function valuesOf(query: string): Record<string, readonly string[]> {
  const parsed = parseQuery(query);
  if (parsed instanceof Failure) throw new Error(`refused: ${query}`);
  return Object.fromEntries(parsed);
}

function grouped(pairs: readonly (readonly [string, string])[]): Record<string, string[]> {
  const byName = Map.groupBy(pairs, ([name]) => name);
  return Object.fromEntries([...byName].map(([name, those]) => [name, those.map(([, value]) => value)]));
}
