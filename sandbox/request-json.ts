import { type JsonValue, readJson } from "../src/domain/json-reader.ts";

/** A service refuses longer bodies. */
const MAX_BYTES = 64 * 1024;

/** The body of a request as JSON, if it is that, and not too long. The service can still read it. */
export async function jsonOf(request: Request): Promise<JsonValue | undefined> {
  const { body } = request.clone();
  if (!body || Number(request.headers.get("content-length")) > MAX_BYTES) return undefined;
  const chunks: Uint8Array[] = [];
  let size = 0;
  try {
    for await (const chunk of body) {
      size += chunk.length;
      if (size > MAX_BYTES) return undefined;
      chunks.push(chunk);
    }
    return readJson(Buffer.concat(chunks).toString());
  } catch {
    // It is no JSON, or the client has gone: then no rule is about it, and the service tells what is wrong.
    return undefined;
  }
}
