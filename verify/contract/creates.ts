import { type Content, INT64_MAX, INT64_MIN, show } from "../animal.ts";
import type { Call } from "../client.ts";
import { assert } from "../contract-violation.ts";
import type { ContractSession, Group } from "./session.ts";

const BODY_MAX_BYTES = 65_536;
const NAME_MAX = 255;

export const creates: Group = {
  name: "create",
  promise: "Creates: int64s exact to the last digit, names exactly as sent, what is invalid refused by name.",
  needs: ["pets:write"],
  async run(session) {
    await createWhole(session);
    await createIntegers(session);
    await createNames(session);
    await createInEveryForm(session);
    await refuseValues(session);
    await refuseSyntax(session);
    await refuseForm(session);
  },
};

export const retries: Group = {
  name: "retry",
  promise: "A create with an Idempotency-Key is done once, also when it comes twice at once.",
  needs: ["pets:write"],
  async run(session) {
    const content: Content = { name: session.name("retried"), categoryId: 7n, status: "pending" };
    const headers = { "Idempotency-Key": session.name("key") };
    const first = await session.create({ path: "/pets", body: show(content), headers }, content);
    const rewritten = `{ "status":"p\\u0065nding", "categoryId": 70e-1, "name": ${JSON.stringify(content.name)} }`;
    const again = await session.create({ path: "/pets", body: rewritten, headers }, content);
    assert(again.id === first.id, `the first answer again, with the id ${first.id}`, `the id ${again.id}`);
    const other = show({ ...content, categoryId: 8n });
    await session.ask(
      { path: "/pets", body: other, headers },
      { status: 422, code: "idempotency_key_reused" },
    );
    const atOnce = {
      path: "/pets",
      body: show(content),
      headers: { "Idempotency-Key": session.name("at once") },
    };
    const both = await Promise.all([session.create(atOnce, content), session.create(atOnce, content)]);
    assert(
      both[0].id === both[1].id,
      "one animal of two creates at once under one key",
      "two",
      session.client.curl(atOnce),
    );
    // A create that is refused does not use its key up.
    const later = { "Idempotency-Key": session.name("later") };
    await session.ask({ path: "/pets", body: "{}", headers: later }, { status: 400, code: "invalid_body" });
    await session.create({ path: "/pets", body: show(content), headers: later }, content);
    for (const key of ["", "x".repeat(256), "\u00e9"]) {
      const call = { path: "/pets", body: show(content), headers: { "Idempotency-Key": key } };
      await session.ask(call, { status: 400, code: "invalid_header", says: "Idempotency-Key" });
    }
  },
};

async function createWhole(session: ContractSession): Promise<void> {
  const name = session.name("Rex");
  const of = (rest: string) => `{"name":${JSON.stringify(name)},"categoryId":12${rest}}`;
  const available: Content = { name, categoryId: 12n, status: "available" };
  await session.create({ path: "/pets", body: of("") }, available);
  for (const status of ["available", "pending", "sold"] as const)
    await session.create({ path: "/pets", body: of(`,"status":"${status}"`) }, { ...available, status });
  await session.create(
    {
      path: "/pets",
      body: of(',"id":99,"owner":{"name":[1,2.5,null,true]},"Name":"Mia","__proto__":{"name":"Mia"}'),
    },
    available,
  );
}

async function createIntegers(session: ContractSession): Promise<void> {
  const written: Readonly<Record<string, bigint>> = {
    [`${INT64_MAX}`]: INT64_MAX,
    [`${INT64_MIN}`]: INT64_MIN,
    "9007199254740993": 9007199254740993n,
    "-0": 0n,
    "1.0": 1n,
    "1e2": 100n,
    "-922337203685477580.8E+1": INT64_MIN,
  };
  const name = session.name("int64");
  for (const [text, categoryId] of Object.entries(written)) {
    const body = `{"name":${JSON.stringify(name)},"categoryId":${text}}`;
    await session.create({ path: "/pets", body }, { name, categoryId, status: "available" });
  }
}

async function createNames(session: ContractSession): Promise<void> {
  const rests = [
    "  Rex\t\n ",
    "e\u0301 \u00e9 \ufb01 \u212b",
    "\u200b\u0001\u007f\ufffe\uffff\u{10ffff}",
    "'); DROP TABLE animal;-- <b>&amp;</b> ../../ %00 $(x)",
    "كلب 👩‍👩‍👧 👍🏽 \u202e",
    "😀".repeat(NAME_MAX - [...session.prefix].length),
  ];
  for (const rest of rests) {
    const content: Content = { name: session.name(rest), categoryId: 1n, status: "available" };
    await session.create(
      { path: "/pets", body: JSON.stringify({ name: content.name, categoryId: 1 }) },
      content,
    );
  }
}

async function createInEveryForm(session: ContractSession): Promise<void> {
  const content: Content = { name: session.name("form"), categoryId: 1n, status: "available" };
  const plain = show(content);
  const forms: readonly Omit<Call, "path">[] = [
    { body: `\r\n\t${plain.replace('"name"', '"n\\u0061me" ')} ` },
    { body: plain.padEnd(BODY_MAX_BYTES) },
    { body: plain.padEnd(BODY_MAX_BYTES), chunked: true },
    { body: plain.replace("}", `,"x":${"[".repeat(63)}${"]".repeat(63)}}`) },
    { body: plain, headers: { "Content-Type": "APPLICATION/Json" } },
    { body: plain, headers: { "Content-Type": 'application/json; profile=x; Charset="UTF-8"' } },
  ];
  for (const form of forms) await session.create({ path: "/pets", ...form }, content);
}

async function refuseValues(session: ContractSession): Promise<void> {
  const name = JSON.stringify(session.name("refused"));
  const tooLong = JSON.stringify(session.name("").padEnd(NAME_MAX + 1, "x"));
  const values: readonly (readonly [body: string, says: string])[] = [
    ['{"categoryId":1}', "name"],
    [`{"name":${name}}`, "categoryId"],
    ["{}", "categoryId"],
    ...["null", "1", '["Rex"]', '""', '" \\u3000"', '"a\\u0000"', '"\\ud83d"', tooLong].map(
      (value) => [`{"name":${value},"categoryId":1}`, "name"] as const,
    ),
    ...[
      "null",
      '"1"',
      "true",
      "1.5",
      `${INT64_MAX + 1n}`,
      `${INT64_MIN - 1n}`,
      "1e400",
      "9223372036854775807.1",
    ].map((value) => [`{"name":${name},"categoryId":${value}}`, "categoryId"] as const),
    ...["null", '"Available"', '"lost"', '""', "0"].map(
      (value) => [`{"name":${name},"categoryId":1,"status":${value}}`, "status"] as const,
    ),
  ];
  for (const [body, says] of values)
    await session.ask({ path: "/pets", body }, { status: 400, code: "invalid_body", says: `\`${says}\`` });
}

async function refuseSyntax(session: ContractSession): Promise<void> {
  const plain = `{"name":${JSON.stringify(session.name("refused"))},"categoryId":1}`;
  const bodies: readonly (string | Uint8Array<ArrayBuffer>)[] = [
    "",
    " \n",
    plain.slice(0, -1),
    `${plain}${plain}`,
    `[${plain}]`,
    "null",
    plain.replace("1}", "01}"),
    plain.replace("1}", "NaN}"),
    plain.replace("1}", "1,}"),
    `\ufeff${plain}`,
    plain.replace("}", ',"name":"Mia"}'),
    plain.replace("}", ',"n\\u0061me":"Mia"}'),
    plain.replace("}", ',"x":[{"y":1,"y":1}]}'),
    plain.replace("}", `,"x":${"[".repeat(64)}${"]".repeat(64)}}`),
    Buffer.from(plain.replace("refused", "\xe9"), "latin1"),
  ];
  for (const body of bodies)
    await session.ask({ path: "/pets", body }, { status: 400, code: "malformed_body" });
}

async function refuseForm(session: ContractSession): Promise<void> {
  const plain = `{"name":${JSON.stringify(session.name("refused"))},"categoryId":1}`;
  for (const type of ["text/plain", "application/merge-patch+json", "application/json; charset=latin1"]) {
    const call = { path: "/pets", body: plain, headers: { "Content-Type": type } };
    await session.ask(call, { status: 415, code: "unsupported_media_type", says: "application/json" });
  }
  const tooLarge = plain.padEnd(BODY_MAX_BYTES + 1);
  for (const chunked of [false, true])
    await session.ask({ path: "/pets", body: tooLarge, chunked }, { status: 413, code: "body_too_large" });
}
