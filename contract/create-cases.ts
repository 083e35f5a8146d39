import { type Content, INT64_MAX, INT64_MIN, OPTIONAL_TEXTS, STATUSES, show, wholeAnimal } from "./animal.ts";
import { BODY_MAX_BYTES, badBodies, badIdempotencyKeys, badMembers, withValues } from "./bad-requests.ts";
import type { Call } from "./client.ts";
import { assert } from "./contract-violation.ts";
import type { ContractSession, Group } from "./session.ts";

const NAME_MAX = 255;
const PETS = { path: "/pets" };

/** Int64s as JSON may write them. */
const INTEGERS: Readonly<Record<string, bigint>> = {
  "0": 0n,
  "-7": -7n,
  [`${INT64_MAX}`]: INT64_MAX,
  [`${INT64_MIN}`]: INT64_MIN,
  "9007199254740993": 9007199254740993n,
  "-0": 0n,
  "1.0": 1n,
  "1e2": 100n,
  "10e-1": 1n,
  "9223372036854775807.000": INT64_MAX,
  "-922337203685477580.8E+1": INT64_MIN,
};
const NO_INTEGERS = [
  ...["null", '"1"', "true", "[1]", "1.5", "1e-1", `${INT64_MAX + 1n}`, `${INT64_MIN - 1n}`, "1e400"],
  ...["9223372036854775807.1", "1e99999999999"],
];
const NAMES = [
  "x",
  "  Rex\t\n ",
  "e\u0301 \u00e9 \ufb01 \u212b",
  "\u200b\u0001\u007f\ufffe\uffff\u{10ffff}",
  "'); DROP TABLE animal;-- <b>&amp;</b> ../../ %00 $(x)",
  "كلب 👩‍👩‍👧 👍🏽 \u202e",
];
/** White_Space of Unicode, as JSON escapes. */
const WHITE_SPACE =
  "\\t\\n\\u000b\\f\\r\\u0020\\u0085\\u00a0\\u1680\\u2000\\u200a\\u2028\\u2029\\u202f\\u205f\\u3000";
const NO_NAMES = [
  ...["null", "1", "true", '["Rex"]', '{"name":"Rex"}', '""', '" "', `"${WHITE_SPACE}"`, '"a\\u0000b"'],
  ...['"\\ud83d"', '"\\ude00\\ud83d"', JSON.stringify("😀".repeat(NAME_MAX + 1))],
];
const NO_STATUSES = ["null", '"Available"', '"sold "', '"lost"', '""', "0", '["sold"]'];
/** Media types of a body of JSON in UTF-8 (RFC 8259, RFC 9110). */
const MEDIA_TYPES = [
  ...["APPLICATION/Json", "application/json;charset=utf-8", "application/json ; Charset=UTF-8"],
  ...['application/json; charset="utf-8"', 'application/json; charset="\\utf-8"', "application/json;"],
  ...["application/json; profile=x; charset=utf-8; q=1", 'application/json; x="; charset=latin1"'],
];

export const creates: Group = {
  name: "create",
  promise: "Creates: int64s exact to the last digit, names exactly as sent, what is invalid refused by name.",
  needs: ["pets:write"],
  cases: {
    "a valid body adds the animal that it describes": async (session) => {
      for (const [form, content] of accepted(session)) await session.create(form, content);
    },
    "an invalid body is refused, and the message names the member": refuseBodies,
  },
};

async function refuseBodies(session: ContractSession): Promise<void> {
  const name = JSON.stringify(session.name("refused"));
  const tooLong = JSON.stringify(session.name("").padEnd(NAME_MAX + 1, "x"));
  const id = '"categoryId":1';
  await session.askAll([
    badMembers(PETS, "name", [
      `{${id}}`,
      `{"Name":${name},${id}}`,
      ...withValues("name", [...NO_NAMES, tooLong], `${id},`),
    ]),
    badMembers(PETS, "categoryId", [
      ...["{}", `{"name":${name}}`],
      ...withValues("categoryId", NO_INTEGERS, `"name":${name},`),
    ]),
    badMembers(PETS, "status", withValues("status", NO_STATUSES, `"name":${name},${id},`)),
    ...OPTIONAL_TEXTS.map(([member, { refused }]) =>
      badMembers(PETS, member, withValues(member, refused, `"name":${name},${id},`)),
    ),
    ...badBodies(PETS, `{"name":${name},${id}}`, ["application/merge-patch+json"]),
  ]);
}

/** Requests that create an animal, and what it must be. */
function accepted(session: ContractSession): (readonly [form: Omit<Call, "path">, content: Content])[] {
  const content = { name: session.name("Rex"), categoryId: 12n, status: "available" } as const;
  const plain = show(content);
  const withoutStatus = plain.replace(/,"status".*/, "}");
  const extra =
    ',"id":99,"owner":{"name":[1,2.5,null,true]},"Name":"Mia","__proto__":{"name":"Mia"},"constructor":1,"toString":2}';
  const forms: Omit<Call, "path">[] = [
    { body: withoutStatus },
    { body: withoutStatus.replace("}", extra) },
    { body: `\r\n\t${plain.replace('"name"', '"n\\u0061me" ')} ` },
    { body: plain.padEnd(BODY_MAX_BYTES) },
    { body: plain.padEnd(BODY_MAX_BYTES), chunked: true },
    { body: plain.replace("}", `,"x":${"[".repeat(63)}${"]".repeat(63)}}`) },
    ...MEDIA_TYPES.map((type) => ({ body: plain, headers: { "Content-Type": type } })),
  ];
  // As long as a name may be, counted in code points.
  const longest = ["x", "😀"].map((character) => character.repeat(NAME_MAX - [...session.prefix].length));
  return [
    ...STATUSES.map((status) => [{ body: show({ ...content, status }) }, { ...content, status }] as const),
    ...forms.map((form) => [form, content] as const),
    ...OPTIONAL_TEXTS.flatMap(([member, { accepted }]) =>
      accepted
        .map((value) => ({ ...content, [member]: value }))
        .map((own) => [{ body: show(own) }, own] as const),
    ),
    ...Object.entries(INTEGERS).map(
      ([text, categoryId]) =>
        [{ body: plain.replace(":12,", `:${text},`) }, { ...content, categoryId }] as const,
    ),
    ...[...NAMES, ...longest].map((rest) => {
      const name = session.name(rest);
      return [{ body: JSON.stringify({ name, categoryId: 12 }) }, { ...content, name }] as const;
    }),
  ];
}

export const retries: Group = {
  name: "retry",
  promise: "A create with an Idempotency-Key is done once, also when it comes twice at once.",
  needs: ["pets:write"],
  cases: {
    "a create with a key is done once": createOnce,
  },
};

async function createOnce(session: ContractSession): Promise<void> {
  const content = wholeAnimal({ name: session.name("retried"), categoryId: 7n, status: "pending" });
  const keyed = (key: string, body = show(content)) => ({
    body,
    headers: { "Idempotency-Key": session.name(key) },
  });
  const first = await session.create(keyed("key"), content);
  const later = show(content).replace(/^.*"status":"pending"/, "");
  const rewritten = `{ "status":"p\\u0065nding", "categoryId": 70e-1, "name": ${JSON.stringify(content.name)} ${later}`;
  const again = await session.create(keyed("key", rewritten), content);
  assert(again.id === first.id, `the first response again, with the id ${first.id}`, `the id ${again.id}`);
  const other = keyed("key", show({ ...content, categoryId: 8n }));
  await session.ask({ ...PETS, ...other }, "422 idempotency_key_reused");
  for (const [member] of OPTIONAL_TEXTS) {
    const less = keyed("key", show({ ...content, [member]: undefined }));
    await session.ask({ ...PETS, ...less }, "422 idempotency_key_reused");
  }
  const atOnce = keyed("at once");
  const [one, two] = await Promise.all([session.create(atOnce, content), session.create(atOnce, content)]);
  const request = session.client.curl({ ...PETS, ...atOnce });
  assert(one.id === two.id, "one animal of two creates at once under one key", "two", request);
  // A create that is refused does not use its key up.
  await session.ask({ ...PETS, ...keyed("later", "{}") }, "400 invalid_body");
  await session.create(keyed("later"), content);
  await session.askAll([badIdempotencyKeys({ ...PETS, body: show(content) })]);
}
