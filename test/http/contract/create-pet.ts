import { describe, expect, test } from "bun:test";
import { sendRaw } from "../../support/send-raw.ts";
import { untilStatus } from "../../support/until.ts";
import { everyOperation, REX } from "./every-operation.ts";
import type { Exercised } from "./exercised.ts";
import { expectAnswer, named, type Scenario, scenarios, send, serviceForAll } from "./scenario.ts";

const MAX = "9223372036854775807";
const MIN = "-9223372036854775808";

/** A body whose name is as given, as JSON. */
const withName = (name: string) => `{"name":${name},"categoryId":1}`;
const withCategory = (categoryId: string) => `{"name":"Rex","categoryId":${categoryId}}`;
/** A body of so many bytes that is right but for its length. */
const ofSize = (bytes: number) => withCategory("1").replace("}", `,"x":"${"x".repeat(bytes - 36)}"}`);
const nested = (depth: number) =>
  `{"name":"Rex","categoryId":1,"x":${"[".repeat(depth - 1)}${"]".repeat(depth - 1)}}`;

export function createPetContract(exercised: Exercised): void {
  describe("201", () => {
    const service = serviceForAll(exercised);

    /** Creates an animal, and expects it in the answer, by its id and at the end of the list. */
    async function expectStored(body: string, members: string): Promise<void> {
      const created = await service().create(body);
      const path = created.headers.get("location") ?? "";
      expect(path).toMatch(/^\/v1\/pets\/[1-9][0-9]*$/);
      expect(created.headers.get("content-type")).toBe("application/json");
      const answer = `{"id":${path.split("/").at(-1)},${members}}`;
      await expectAnswer(created, { status: 201, answer });
      await expectAnswer(await service().call(path), { status: 200, answer });
      expect(await (await service().call("/v1/pets?limit=100")).text()).toEndWith(`${answer}]`);
    }

    const rex = (rest: string) => `"name":"Rex","categoryId":${rest}`;
    const stored: Record<string, readonly [sent: string, members: string]> = {
      "what is required": ['{"name":"Rex","categoryId":12}', rex('12,"status":"available"')],
      available: ['{"name":"Rex","categoryId":12,"status":"available"}', rex('12,"status":"available"')],
      pending: ['{"status":"pending","categoryId":12,"name":"Rex"}', rex('12,"status":"pending"')],
      sold: ['{"name":"Rex","categoryId":12,"status":"sold"}', rex('12,"status":"sold"')],
      "members that the contract does not name are ignored, id included": [
        '{"id":99,"name":"Rex","categoryId":12,"owner":{"name":[1,2.5,null,true]},"Name":"Mia"}',
        rex('12,"status":"available"'),
      ],
      "members that every object has": [
        '{"__proto__":{"name":"Mia"},"constructor":1,"toString":2,"name":"Rex","categoryId":12}',
        rex('12,"status":"available"'),
      ],
      "white space, escapes, any order": [
        '\r\n\t{ "c\\u0061tegoryId" : 12 ,"n\\u0061me":"\\u0052ex" } ',
        rex('12,"status":"available"'),
      ],
    };
    for (const [name, [body, members]] of Object.entries(stored)) {
      test(name, () => expectStored(body, members));
    }

    describe("categoryId, an int64 exact to its last digit", () => {
      const written = {
        "0": "0",
        "-0": "0",
        "-7": "-7",
        "1.0": "1",
        "1e2": "100",
        "10e-1": "1",
        "9007199254740993": "9007199254740993",
        [MAX]: MAX,
        [MIN]: MIN,
        "9223372036854775807.000": MAX,
        "-922337203685477580.8E+1": MIN,
      };
      for (const [sent, value] of Object.entries(written)) {
        test(sent, () => expectStored(withCategory(sent), rex(`${value},"status":"available"`)));
      }
    });

    describe("name, kept exactly as sent", () => {
      const names = {
        "white space around it": "  Rex\t\n ",
        "one character": "x",
        "255 letters": "x".repeat(255),
        "255 characters of two UTF-16 units each": "😀".repeat(255),
        "not normalised": "e\u0301 \u00e9 \ufb01 \u212b",
        "what only looks like white space": "\u200b",
        "noncharacters and controls": "\u0001\u007f\ufffe\uffff\u{10ffff}",
        "what looks like SQL, HTML, a path": `'); DROP TABLE animal;-- <b>&amp;</b> ../../ %00 \${x}`,
        "right to left, joined, skin tones": "كلب 👩‍👩‍👧 👍🏽 \u202e",
      };
      for (const [what, name] of Object.entries(names)) {
        test(what, async () => {
          const created = await service().create(withName(JSON.stringify(name)));
          expect(created.status).toBe(201);
          expect(((await created.json()) as { name: string }).name).toBe(name);
          const read = await service().call(created.headers.get("location") ?? "");
          expect(((await read.json()) as { name: string }).name).toBe(name);
        });
      }
    });

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

    describe("media types", () => {
      const types = [
        "application/json",
        "APPLICATION/Json",
        "application/json;charset=utf-8",
        "application/json ; Charset=UTF-8",
        'application/json; charset="utf-8"',
        'application/json; charset="\\utf-8"',
        "application/json; profile=x; charset=utf-8; q=1",
        'application/json; x="; charset=latin1"',
        "application/json;",
      ];
      const rows = types.map((type) => [type, { headers: { "content-type": type }, body: REX, status: 201 }]);
      scenarios(exercised, Object.fromEntries(rows));
    });

    describe("size and depth up to their limits", () => {
      scenarios(exercised, {
        "65,536 bytes": { body: ofSize(65_536), status: 201 },
        "65,536 bytes, chunked": { body: streamOf(ofSize(65_536)), status: 201 },
        "64 levels": { body: nested(64), status: 201 },
        "chunks of one byte": { body: streamOf(withName('"Bär"'), 1), status: 201 },
      });
      test("the sizes are what they say", () => expect(Buffer.byteLength(ofSize(65_536))).toBe(65_536));
    });
  });

  describe("400 invalid_body", () => {
    const refused =
      (says: string) =>
      (body: string): Scenario => ({ body, status: 400, code: "invalid_body", says });
    const NAME = "must be a string of 1 to 255 characters that is not only white space";
    const CATEGORY = `must be an integer from ${MIN} to ${MAX}`;
    const STATUS = "`status` must be one of `available`, `pending`, `sold`";

    describe("name", () => {
      scenarios(exercised, {
        missing: refused(`\`name\` is required and ${NAME}`)('{"categoryId":1}'),
        ...named(
          {
            null: withName("null"),
            "a number": withName("1"),
            "a boolean": withName("true"),
            "an array": withName('["Rex"]'),
            "an object": withName('{"name":"Rex"}'),
            empty: withName('""'),
            "a space": withName('" "'),
            "every white space there is": withName(
              '"\\t\\n\\u000b\\f\\r\\u0020\\u0085\\u00a0\\u1680\\u2000\\u200a\\u2028\\u2029\\u202f\\u205f\\u3000"',
            ),
            "256 letters": withName(`"${"x".repeat(256)}"`),
            "256 characters of two units each": withName(`"${"😀".repeat(256)}"`),
          },
          refused(`\`name\` ${NAME}`),
        ),
        "with U+0000": refused("`name` must not contain the character U+0000")(withName('"a\\u0000b"')),
        "with half a surrogate pair": refused("`name` must not contain an unpaired surrogate")(
          withName('"\\ud83d"'),
        ),
        "with a pair the wrong way round": refused("unpaired surrogate")(withName('"\\ude00\\ud83d"')),
        "in another letter case": refused("`name` is required")('{"Name":"Rex","categoryId":1}'),
      });
    });

    describe("categoryId", () => {
      scenarios(exercised, {
        missing: refused(`\`categoryId\` is required and ${CATEGORY}`)('{"name":"Rex"}'),
        ...named(
          {
            null: withCategory("null"),
            "a string": withCategory('"1"'),
            "a boolean": withCategory("true"),
            "an array": withCategory("[1]"),
            "a fraction": withCategory("1.5"),
            "a small fraction": withCategory("1e-1"),
            "one above the greatest": withCategory("9223372036854775808"),
            "one below the least": withCategory("-9223372036854775809"),
            "a hair above the greatest": withCategory("9223372036854775807.1"),
            "a huge exponent": withCategory("1e400"),
            "a vast exponent": withCategory("1e99999999999"),
          },
          refused(`\`categoryId\` ${CATEGORY}`),
        ),
      });
    });

    describe("status", () => {
      const withStatus = (status: string) => `{"name":"Rex","categoryId":1,"status":${status}}`;
      scenarios(
        exercised,
        named(
          {
            null: withStatus("null"),
            empty: withStatus('""'),
            "upper case": withStatus('"Available"'),
            "a space after it": withStatus('"sold "'),
            unknown: withStatus('"lost"'),
            "a number": withStatus("0"),
            "an array": withStatus('["sold"]'),
          },
          refused(STATUS),
        ),
      );
    });

    test("names every member at fault", async () => {
      await using service = await exercised.start();
      await expectAnswer(await service.create('{"categoryId":"1","status":null}'), {
        status: 400,
        answer: JSON.stringify({
          code: "invalid_body",
          message: `\`name\` is required and ${NAME}; \`categoryId\` ${CATEGORY}; ${STATUS}.`,
          status: 400,
        }),
      });
    });
  });

  describe("400 malformed_body", () => {
    const refused =
      (says: string) =>
      (body: string | Uint8Array): Scenario => ({
        body,
        status: 400,
        code: "malformed_body",
        says,
      });
    scenarios(exercised, {
      empty: refused("The body is empty")(""),
      ...named(
        { "only white space": " \n", "half an object": '{"name":"Rex",', "single quotes": "{'name':'Rex'}" },
        refused("is not valid JSON"),
      ),
      ...named(
        {
          "a comma too many": `${REX.slice(0, -1)},}`,
          "a comment": `${REX}//`,
          "two values": `${REX}${REX}`,
          NaN: withCategory("NaN"),
          "a leading zero": withCategory("01"),
          "a plus sign": withCategory("+1"),
          "a byte order mark": `\ufeff${REX}`,
          "a no-break space": `${REX}\u00a0`,
        },
        refused("is not valid JSON"),
      ),
      ...named(
        { "an array": `[${REX}]`, null: "null", "a string": '"Rex"', "a number": "1", "a boolean": "true" },
        refused("is not a JSON object"),
      ),
      "a bare line break in a string": refused("control character")('{"name":"R\nex","categoryId":1}'),
      "a wrong escape": refused("invalid escape")('{"name":"\\x","categoryId":1}'),
      ...named(
        {
          "a byte that UTF-8 does not have": Buffer.from(withName('"R\xe9x"'), "latin1"),
          "a surrogate in UTF-8": Buffer.from(withName('"\xed\xa0\x80"'), "latin1"),
          "a character cut off": Buffer.from(withName('"\xc3"'), "latin1"),
          "UTF-16": Buffer.from(`\ufeff${REX}`, "utf16le"),
        },
        refused("is not UTF-8"),
      ),
      "65 levels": refused("deeper than 64")(nested(65)),
      "a thousand levels": refused("deeper than 64")(nested(1000)),
      "a name twice": refused("two members named `name`")('{"name":"Rex","name":"Rex","categoryId":1}'),
      "a name twice, once escaped": refused("two members named `name`")(
        '{"name":"Rex","n\\u0061me":"Mia","categoryId":1}',
      ),
      "an unknown name twice": refused("two members named `x`")('{"name":"Rex","categoryId":1,"x":1,"x":1}'),
      "a name twice, deep inside": refused("two members named `y`")(
        '{"name":"Rex","categoryId":1,"x":[{"z":{"y":1,"y":1}}]}',
      ),
    });

    test("a body that is empty, without a Content-Type too", async () => {
      await using service = await exercised.start();
      for (const headers of [{}, { "content-type": "application/json" }]) {
        const answer = await service.call("/v1/pets", { method: "POST", headers });
        await expectAnswer(answer, { status: 400, code: "malformed_body", says: "The body is empty" });
      }
      expect(await (await service.call("/v1/pets")).text()).toBe("[]");
    });
  });

  describe("400 invalid_header", () => {
    const keys = { empty: "", "256 characters": "x".repeat(256), "not ASCII": "\u00e9" };
    scenarios(
      exercised,
      named(keys, (key: string) => ({
        headers: { "idempotency-key": key },
        body: REX,
        status: 400,
        code: "invalid_header",
        says: "`Idempotency-Key`",
      })),
    );
  });

  describe("413", () => {
    const refused = { status: 413, code: "body_too_large", says: "65536 bytes" };
    scenarios(exercised, {
      "65,537 bytes": { body: ofSize(65_537), ...refused },
      "65,537 bytes, chunked": { body: streamOf(ofSize(65_537)), ...refused },
      "a megabyte, chunked": { body: streamOf(ofSize(1_000_000)), ...refused },
      "ten megabytes": { body: ofSize(10_000_000), ...refused },
    });

    test("as soon as the length is declared, whatever follows", async () => {
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
    const types = [
      "text/plain",
      "text/json",
      "application/x-www-form-urlencoded",
      "multipart/form-data; boundary=x",
      "application/merge-patch+json",
      "application/vnd.api+json",
      "application/jsonx",
      "application/*",
      "application/json, text/plain",
      "application/json; charset=latin1",
      "application/json; charset=utf8",
      "application/json; charset=utf-16",
      'application/json; charset=""',
      "application/json; charset=utf-8; charset=latin1",
      'application/json; x=";"; charset="iso-8859-1"',
      "json",
      "application/json; charset = utf-8",
      "application/json; charset",
      "application/json; =",
      'application/json; charset="utf-8" x',
    ];
    const rows = types.map((type) => [
      type,
      {
        headers: { "content-type": type },
        body: REX,
        status: 415,
        code: "unsupported_media_type",
        says: "`application/json`",
      },
    ]);
    scenarios(exercised, Object.fromEntries(rows));

    scenarios(
      exercised,
      Object.fromEntries(
        ["gzip", "GZIP", "br", "identity, gzip", "utf-8", "aws-chunked", "x"].map((coding) => [
          `Content-Encoding: ${coding}`,
          {
            headers: { "content-type": "application/json", "content-encoding": coding },
            body: REX,
            status: 415,
            code: "unsupported_content_encoding",
            says: `Content-Encoding \`${coding}\``,
          },
        ]),
      ),
    );

    test("but not for a Content-Encoding that changes nothing; what would be right is in Accept-Encoding", async () => {
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

  test("422 for an Idempotency-Key that was used for other content", async () => {
    await using service = await exercised.start();
    const headers = { "idempotency-key": "one" };
    expect((await service.create(REX, headers)).status).toBe(201);
    expect((await service.create(REX, headers)).headers.get("location")).toBe("/v1/pets/1");
    await expectAnswer(await service.create(withName('"Mia"'), headers), {
      status: 422,
      code: "idempotency_key_reused",
    });
  });

  test("503 while another process lets nobody write; lists go on, and a retry adds one animal, not two", async () => {
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

  test("what was refused has stored nothing", async () => {
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
