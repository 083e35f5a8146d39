import { type ContentCoding, matchesTag, tagUnder } from "../../operations/entity-tag.ts";
import { chooseCoding, encode } from "./content-coding.ts";
import { bytesOf, type HttpResponse } from "./http-response.ts";

/** A smaller body, in bytes, fits into one packet without compression. */
const COMPRESS_FROM_BYTES = 1400;

/**
 * Chooses how to send the response to a GET or HEAD: compressed if the client accepts that and it saves something, and
 * as a 304 if the client has this version already.
 */
export function negotiate(request: Request, response: HttpResponse): HttpResponse {
  if (response.headers.ETag === undefined || response.body === null) return response;
  const coding = codingFor(request.headers.get("accept-encoding"), response.body);
  const tag = coding ? tagUnder(coding, response.headers.ETag) : response.headers.ETag;
  const condition = request.headers.get("if-none-match");
  if (condition !== null && matchesTag(condition, tag)) {
    // RFC 9110, section 15.4.5: a 304 leaves out what describes the body, and keeps headers that may have changed.
    const { "Content-Type": _, ...headers } = response.headers;
    return { status: 304, headers: { ...headers, ETag: tag }, body: null };
  }
  return coding ? compressedOf(response, coding, tag) : response;
}

function codingFor(accepted: string | null, body: HttpResponse["body"]): ContentCoding | undefined {
  if (accepted === null) return undefined;
  const worthwhile = bytesOf(body) >= COMPRESS_FROM_BYTES;
  // Without a weight nothing forbids the plain text: that decides most small responses.
  if (!worthwhile && !accepted.includes(";")) return undefined;
  return chooseCoding(accepted, worthwhile);
}

/** The compressed response. A response that is likely to be sent again is compressed once. */
function compressedOf(response: HttpResponse, coding: ContentCoding, tag: string): HttpResponse {
  const { preEncoded } = response;
  const known = preEncoded?.compressed.get(coding);
  if (known) return known;
  const headers = { ...response.headers, ETag: tag, "Content-Encoding": coding };
  const bytes = encode(
    Buffer.from(preEncoded?.text ?? (response.body as string)),
    coding,
    preEncoded?.effort ?? "quick",
  );
  if (!preEncoded) return { ...response, headers, body: bytes };
  const made = {
    ...response,
    headers,
    body: new Blob([bytes as Uint8Array<ArrayBuffer>]),
    headerTemplate: headers,
  };
  preEncoded.compressed.set(coding, made);
  return made;
}
