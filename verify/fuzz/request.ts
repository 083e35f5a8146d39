import type { Random } from "../random.ts";

/** A request in parts, which the model judges and `encode` turns into bytes. */
export interface FuzzRequest {
  /** The kind of request, for the summary. */
  readonly kind: string;
  readonly method: string;
  /** Path and query, as they go out: printable ASCII. */
  readonly target: string;
  /** In addition to `Host` and what frames the body; as Latin-1. */
  readonly headers: readonly (readonly [name: string, value: string])[];
  readonly body?: Uint8Array;
  readonly chunked?: boolean;
}

/** A header's value, trimmed; repeated fields are joined (RFC 9110, section 5.3). */
export function headerOf({ headers }: FuzzRequest, name: string): string | undefined {
  const values = headers
    .filter(([given]) => given.toLowerCase() === name)
    .map(([, value]) => value.replace(/^[ \t]+|[ \t]+$/g, ""));
  return values.length > 0 ? values.join(", ") : undefined;
}

/** Writes a request as it goes out. */
export function encode(request: FuzzRequest, random: Random): Buffer {
  const { method, target, headers, body, chunked } = request;
  const fields = headers.map(([name, value]) => `${name}: ${value}\r\n`);
  fields.splice(random.below(fields.length + 1), 0, "Host: 127.0.0.1\r\n");
  if (chunked) fields.push("Transfer-Encoding: chunked\r\n");
  else if (body) fields.push(`Content-Length: ${body.length}\r\n`);
  const head = Buffer.from(`${method} ${target} HTTP/1.1\r\n${fields.join("")}\r\n`, "latin1");
  if (!body) return head;
  return Buffer.concat([head, ...(chunked ? cut(body, random) : [body])]);
}

/** Cuts a body into chunks, some of them with extensions (RFC 9112, section 7.1). */
function cut(body: Uint8Array, random: Random): Uint8Array[] {
  const parts: Uint8Array[] = [];
  for (let at = 0; at < body.length; ) {
    const size = Math.min(body.length - at, random.chance(0.2) ? 1 : random.between(1, 20_000));
    const zeros = random.chance(0.1) ? "00" : "";
    const extension = random.chance(0.1) ? ';a="b"' : "";
    const digits = random.chance(0.5) ? size.toString(16) : size.toString(16).toUpperCase();
    parts.push(
      Buffer.from(`${zeros}${digits}${extension}\r\n`),
      body.subarray(at, at + size),
      Buffer.from("\r\n"),
    );
    at += size;
  }
  parts.push(Buffer.from("0\r\n\r\n"));
  return parts;
}
