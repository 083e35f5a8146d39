import { type ContentCoding, chooseCoding, encode } from "./content-coding.ts";
import { matchesTag } from "./entity-tag.ts";
import type { Rendered } from "./rendered.ts";

/** A smaller body fits into one packet as it is. */
const COMPRESS_FROM_BYTES = 1400;

/** What was compressed stays as long as what it was made from. */
const compressed = new WeakMap<Rendered, Map<ContentCoding, Rendered>>();

/**
 * Chooses how an answer to a GET or HEAD is sent: compressed where the client asks and it is worth it,
 * and only its head where the client has it already.
 */
export function negotiate(request: Request, rendered: Rendered): Rendered {
  if (rendered.headers.ETag === undefined || rendered.body === null) return rendered;
  const coding = codingFor(request.headers.get("accept-encoding"), rendered.body);
  const tag = coding ? tagOf(rendered, coding) : rendered.headers.ETag;
  const condition = request.headers.get("if-none-match");
  if (condition !== null && matchesTag(condition, tag)) {
    // RFC 9110, section 15.4.5: what describes the body it has is left out, what it may have changed is not.
    const { "Content-Type": _, ...headers } = rendered.headers;
    return { status: 304, headers: { ...headers, ETag: tag }, body: null };
  }
  return coding ? compressedOf(rendered, coding) : rendered;
}

function codingFor(accepted: string | null, body: string | Uint8Array): ContentCoding | undefined {
  if (accepted === null) return undefined;
  const worthwhile = Buffer.byteLength(body) >= COMPRESS_FROM_BYTES;
  // Without a weight nothing forbids the plain text: most small answers are decided here.
  if (!worthwhile && !accepted.includes(";")) return undefined;
  return chooseCoding(accepted, worthwhile);
}

/** Other bytes, so another strong tag. */
function tagOf({ headers }: Rendered, coding: ContentCoding): string {
  return headers.ETag?.replace(/"$/, `-${coding}"`) ?? "";
}

function compressedOf(rendered: Rendered, coding: ContentCoding): Rendered {
  let variants = compressed.get(rendered);
  if (!variants) {
    variants = new Map();
    compressed.set(rendered, variants);
  }
  let variant = variants.get(coding);
  if (!variant) {
    const headers = { ...rendered.headers, ETag: tagOf(rendered, coding), "Content-Encoding": coding };
    const body = encode(Buffer.from(rendered.body ?? ""), coding);
    variant = { ...rendered, headers, body, alike: headers };
    variants.set(coding, variant);
  }
  return variant;
}
