// Requests that the service must refuse wherever they are sent, and copies that it must recognise.
import { INT64_MAX } from "./animal.ts";
import type { Call } from "./client.ts";
import { assert } from "./contract-violation.ts";
import type { Cases, ContractSession } from "./session.ts";

export const BODY_MAX_BYTES = 65_536;
const KEY_MAX = 255;

/** Values of a path or query parameter that are not a positive int64 in plain decimal. */
export const NO_IDS = [
  "abc",
  "0",
  "-1",
  "%2B1",
  "01",
  "1.0",
  "1.5",
  "1e0",
  "0x1",
  "null",
  "%201",
  "1%20",
  `${INT64_MAX + 1n}`,
];
/** Ids in a path under which nothing is stored. */
export const IDS_OF_NOTHING = [
  ...NO_IDS,
  "1%00",
  "1%2F",
  "1,2",
  "%EF%BC%91",
  "18446744073709551617",
  "9".repeat(400),
  `${INT64_MAX}`,
];
/** Percent escapes that are broken or not UTF-8. */
export const BROKEN_ESCAPES = ["%", "%f", "%zz", "%ff", "%c3%31", "%ed%a0%80"];

/** Requests that differ in one query parameter alone, and are refused for it. */
export function badQueries(path: string, parameter: string, queries: readonly string[]): Cases {
  const calls = queries.map((query) => `${path}?${query}`);
  return { outcome: "400 invalid_parameter", says: `\`${parameter}\``, calls };
}

/** Requests that each have one value of a parameter, and are refused for it. */
export function badValues(path: string, parameter: string, values: readonly string[]): Cases {
  return badQueries(
    path,
    parameter,
    values.map((value) => `${parameter}=${value}`),
  );
}

/** Requests whose body has a wrong value of a member, or lacks it. */
export function badMembers(target: Call, member: string, bodies: readonly string[]): Cases {
  const calls = bodies.map((body) => ({ ...target, body }));
  return { outcome: "400 invalid_body", says: `\`${member}\``, calls };
}

/** Bodies of one member, once with each value. */
export function withValues(member: string, values: readonly string[], others = ""): string[] {
  return values.map((value) => `{${others}"${member}":${value}}`);
}

/**
 * Requests whose body cannot be read: for its syntax, its size or its media type.
 *
 * @param valid a body of the target, with `:1` as its last value
 * @param types media types that are refused there alone
 */
export function badBodies(target: Call, valid: string, types: readonly string[] = []): Cases[] {
  const open = valid.slice(0, -1);
  const [member = "", name = ""] = /"([^"]+)":(?:"[^"]*"|\d+)/.exec(valid) ?? [];
  const escaped = member.replace(name, `\\u00${name.charCodeAt(0).toString(16)}${name.slice(1)}`);
  const malformed: readonly (string | Uint8Array<ArrayBuffer>)[] = [
    "",
    " \n",
    "null",
    '"text"',
    "1",
    "true",
    "[]",
    open,
    valid.replaceAll('"', "'"),
    `${valid}//`,
    `${valid}\u00a0`,
    `${valid}${valid}`,
    `[${valid}]`,
    valid.replace(":1}", ":01}"),
    valid.replace(":1}", ":NaN}"),
    valid.replace(":1}", ":+1}"),
    `${open},}`,
    `\ufeff${valid}`,
    `${open},${member}}`,
    `${open},${escaped}}`,
    `${open},"x":[{"y":1,"y":1}]}`,
    `${open},"x":${"[".repeat(64)}${"]".repeat(64)}}`,
    `${open},"x":1,"x":1}`,
    `${open},"x":"\n"}`,
    `${open},"x":"\\x"}`,
    ...["\xe9", "\xed\xa0\x80", "\xc3"].map((bytes) => Buffer.from(`${open},"x":"${bytes}"}`, "latin1")),
    Buffer.from(`\ufeff${valid}`, "utf16le"),
  ];
  const tooLarge = valid.padEnd(BODY_MAX_BYTES + 1);
  const otherTypes = [
    ...["text/plain", "text/json", "application/x-www-form-urlencoded", "multipart/form-data; boundary=x"],
    ...[
      "application/json-patch+json",
      "application/vnd.api+json",
      "application/jsonx",
      "application/*",
      "json",
    ],
    ...["latin1", "utf8", "utf-16", '""', "utf-8; charset=latin1", '"utf-8" x'].map(
      (charset) => `application/json; charset=${charset}`,
    ),
    ...["application/json, text/plain", 'application/json; x=";"; charset="iso-8859-1"'],
    ...["application/json; charset = utf-8", "application/json; charset", "application/json; ="],
    ...types,
  ];
  return [
    { outcome: "400 malformed_body", calls: malformed.map((body) => ({ ...target, body })) },
    {
      outcome: "413 body_too_large",
      says: `${BODY_MAX_BYTES} bytes`,
      calls: [false, true].map((chunked) => ({ ...target, body: tooLarge, chunked })),
    },
    {
      outcome: "415 unsupported_media_type",
      says: "application/json",
      calls: otherTypes.map((type) => ({ ...target, body: valid, headers: { "Content-Type": type } })),
    },
    ...["gzip", "GZIP", "br", "identity, gzip", "utf-8", "aws-chunked", "x"].map(
      (coding): Cases => ({
        outcome: "415 unsupported_content_encoding",
        says: `\`${coding}\``,
        calls: [{ ...target, body: valid, headers: { "Content-Encoding": coding } }],
      }),
    ),
  ];
}

/** Requests with an `Idempotency-Key` that is empty, too long or not ASCII. */
export function badIdempotencyKeys(target: Call): Cases {
  const keys = ["", "x".repeat(KEY_MAX + 1), "\u00e9", "a, b"];
  const calls = keys.map((key) => ({ ...target, headers: { "Idempotency-Key": key } }));
  return { outcome: "400 invalid_header", says: "Idempotency-Key", calls };
}

/** Cursors that are refused whatever the list, and an issued one with its first letter changed. */
export function badCursors(issued: string): string[] {
  const changed = (issued.startsWith("A") ? "B" : "A") + issued.slice(1);
  return ["", "abc", "A".repeat(32), changed, `${issued}=`];
}

/** Asks for a copy of what a path has, which need not be sent again, and for its head alone. */
export async function askForCopies(session: ContractSession, path: string): Promise<void> {
  const { headers } = await session.ask(path, "200");
  const tag = headers.get("etag") ?? "";
  const withTag = (given: string) => ({ path, headers: { "If-None-Match": given } });
  await session.askAll([
    { outcome: "304", calls: [tag, `"other", ${tag}`, `W/${tag}`, "*"].map(withTag) },
    { outcome: "200", calls: [withTag('"other"')] },
  ]);
  const call = { path, method: "HEAD" };
  const head = await session.ask(call, "200");
  for (const name of ["etag", "link", "content-type"]) {
    const [found, wanted] = [head.headers.get(name), headers.get(name)];
    assert(
      found === wanted,
      `HEAD with the ${name} of GET, ${wanted}`,
      `${found}`,
      session.client.curl(call),
    );
  }
}
