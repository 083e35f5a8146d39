import { describe, expect, test } from "bun:test";
import { sendRaw } from "../../support/send-raw.ts";
import { untilStatus } from "../../support/until.ts";
import { everyOperation, REX } from "./every-operation.ts";
import type { Exercised } from "./exercised.ts";
import { expectAnswer, type Scenario, scenarios, send } from "./scenario.ts";

/** A body whose name is as given, as JSON. */
const withName = (name: string) => `{"name":${name},"categoryId":1}`;
const withCategory = (categoryId: string) => `{"name":"Rex","categoryId":${categoryId}}`;
/** A body of so many bytes that is right but for its length. */
const ofSize = (bytes: number) => withCategory("1").replace("}", `,"x":"${"x".repeat(bytes - 36)}"}`);
const nested = (depth: number) =>
  `{"name":"Rex","categoryId":1,"x":${"[".repeat(depth - 1)}${"]".repeat(depth - 1)}}`;

export function createPetContract(exercised: Exercised): void {
  describe("201", () => {
    test("ids ascend in the order of creation, and none is given twice", async () => {
      await using service = await exercised.start();
      const create = async () =>
        Number((await service.create(REX)).headers.get("location")?.split("/").at(-1));
      expect([await create(), await create(), await create()]).toEqual([1, 2, 3]);
      await service.database.query("DELETE FROM animal WHERE id > 1");
      expect(await create()).toBe(4);
      const many = await Promise.all(Array.from({ length: 50 }, create));
      expect(new Set(many).size).toBe(50);
      expect(Math.min(...many)).toBe(5);
    });

    test("an id past 2^53 is exact in Location and body", async () => {
      await using service = await exercised.start();
      await service.create(REX);
      await service.database.setLastId(9007199254740992n);
      const created = await service.create(REX);
      expect(created.headers.get("location")).toBe("/v1/pets/9007199254740993");
      expect(await created.text()).toStartWith('{"id":9007199254740993,');
    });

    test("a body may arrive in chunks of one byte", async () => {
      await using service = await exercised.start();
      const request = { body: streamOf(withName('"Bär"'), 1), status: 201 };
      await expectAnswer(await send(service, request), {
        status: 201,
        answer: '{"id":1,"name":"Bär","categoryId":1,"status":"available"}',
      });
    });
  });

  describe("400", () => {
    const NAME = "must be a string of 1 to 255 characters that is not only white space";
    const CATEGORY = "must be an integer from -9223372036854775808 to 9223372036854775807";
    const refused = (body: string | Uint8Array, code: string, says: string): Scenario => ({
      body,
      status: 400,
      code,
      says,
    });
    const malformed = (body: string | Uint8Array, says: string) => refused(body, "malformed_body", says);
    const invalid = (body: string, says: string) => refused(body, "invalid_body", says);
    scenarios(exercised, {
      "an empty body is named": malformed("", "The body is empty"),
      "half an object is not valid JSON": malformed('{"name":"Rex",', "is not valid JSON"),
      "an array is not a JSON object": malformed(`[${REX}]`, "is not a JSON object"),
      "a bare line break in a string is named": malformed('{"name":"R\nex"}', "control character"),
      "an invalid escape is named": malformed('{"name":"\\x"}', "invalid escape"),
      "UTF-16 is not UTF-8": malformed(Buffer.from(`\ufeff${REX}`, "utf16le"), "is not UTF-8"),
      "a thousand levels are too deep": malformed(nested(1000), "deeper than 64"),
      "a member that is named twice is named": malformed('{"x":1,"x":1}', "two members named `x`"),
      "U+0000 in a name is named": invalid(withName('"a\\u0000b"'), "must not contain the character U+0000"),
      "half a surrogate pair in a name is named": invalid(withName('"\\ud83d"'), "an unpaired surrogate"),
    });

    test("the message names every member at fault", async () => {
      await using service = await exercised.start();
      const status = "`status` must be one of `available`, `pending`, `sold`";
      await expectAnswer(await service.create('{"categoryId":"1","status":null}'), {
        status: 400,
        answer: JSON.stringify({
          code: "invalid_body",
          message: `\`name\` is required and ${NAME}; \`categoryId\` ${CATEGORY}; ${status}.`,
          status: 400,
        }),
      });
    });

    test("an empty body, even without a Content-Type", async () => {
      await using service = await exercised.start();
      for (const headers of [{}, { "content-type": "application/json" }]) {
        const answer = await service.call("/v1/pets", { method: "POST", headers });
        await expectAnswer(answer, { status: 400, code: "malformed_body", says: "The body is empty" });
      }
      expect(await (await service.call("/v1/pets")).text()).toBe("[]");
    });
  });

  describe("413", () => {
    const refused = { status: 413, code: "body_too_large", says: "65536 bytes" };
    scenarios(exercised, {
      "a megabyte in chunks is refused": { body: streamOf(ofSize(1_000_000)), ...refused },
      "ten megabytes are refused": { body: ofSize(10_000_000), ...refused },
    });

    test("as soon as a Content-Length is too large, whatever follows", async () => {
      await using service = await exercised.start();
      const head = [
        "POST /v1/pets HTTP/1.1",
        "Host: localhost",
        `Authorization: Bearer ${service.key}`,
        "Content-Type: application/json",
      ];
      for (const length of ["65537", "99999999999", "9007199254740991"]) {
        const request = [...head, `Content-Length: ${length}`, "", REX].join("\r\n");
        const text = await sendRaw(service.address, request);
        expect(text).toStartWith("HTTP/1.1 413 ");
      }
      expect(await (await service.call("/v1/pets")).text()).toBe("[]");
    });
  });

  describe("415", () => {
    test("for a Content-Encoding other than identity, with Accept-Encoding in the response", async () => {
      await using service = await exercised.start();
      for (const coding of ["identity", "Identity", "", "identity, identity"]) {
        const answer = await service.create(REX, { "content-encoding": coding });
        expect([coding, answer.status]).toEqual([coding, 201]);
      }
      const answer = await service.create(REX, { "content-encoding": "gzip" });
      expect(answer.headers.get("accept-encoding")).toBe("identity");
    });

    test("a body without a Content-Type", async () => {
      await using service = await exercised.start();
      // Bytes, since a text gets a type from the client.
      const answer = await service.call("/v1/pets", { method: "POST", body: Buffer.from(REX) });
      await expectAnswer(answer, {
        status: 415,
        code: "unsupported_media_type",
        says: "The body has no Content-Type",
      });
    });
  });

  test("creates get 503 while another process blocks all writes; lists continue, and a retry adds one animal, not two", async () => {
    await using service = await exercised.start();
    await service.create(REX);
    const list = await (await service.call("/v1/pets")).text();
    const headers = { "idempotency-key": "k" };
    {
      await using _ = await service.database.lock();
      const creating = service.create(REX, headers);
      expect(await (await service.call("/v1/pets")).text()).toBe(list);
      const answer = await creating;
      expect(answer.headers.get("retry-after")).toBe("1");
      await expectAnswer(answer, { status: 503, code: "store_unavailable" });
    }
    const again = await (await untilStatus(() => service.create(REX, headers), 201)).text();
    expect(JSON.parse(again).id).toBe(2);
    expect(await (await service.call("/v1/pets")).text()).toBe(list.replace("]", `,${again}]`));
  });

  test("a refused request stores nothing", async () => {
    await using service = await exercised.start();
    const { key } = await service.issueKey(["pets:read"]);
    for (const scenario of [
      { body: "{" },
      { body: '{"name":"Rex"}' },
      { body: ofSize(65_537) },
      { body: REX, headers: { "content-type": "text/plain" } },
      { body: REX, headers: { authorization: "Bearer wrong" } },
      { body: REX, headers: { authorization: `Bearer ${key}` } },
      { body: REX, path: "/v1/pets?x=%zz" },
      { body: REX, path: "/v1/pets/" },
    ]) {
      expect((await send(service, { ...scenario, status: 0 })).status).toBeWithin(400, 500);
    }
    expect(await (await service.call("/v1/pets")).text()).toBe("[]");
  });

  everyOperation(exercised, { scope: "pets:write", request: { body: REX, status: 201 } });
}

/** A body of no declared length, in chunks of so many bytes. */
function streamOf(text: string, chunk = 10_000): ReadableStream {
  const bytes = Buffer.from(text);
  let at = 0;
  return new ReadableStream({
    pull(controller) {
      if (at >= bytes.length) controller.close();
      else controller.enqueue(bytes.subarray(at, at + chunk));
      at += chunk;
    },
  });
}
