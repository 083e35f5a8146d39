import { type ContentCoding, chooseCoding, encode } from "./content-coding.ts";
import { matchesTag } from "./entity-tag.ts";
import { bytesOf, type Rendered } from "./rendered.ts";

/** A smaller body fits into one packet as it is. */
const COMPRESS_FROM_BYTES = 1400;

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

function codingFor(accepted: string | null, body: Rendered["body"]): ContentCoding | undefined {
  if (accepted === null) return undefined;
  const worthwhile = bytesOf(body) >= COMPRESS_FROM_BYTES;
  // Without a weight nothing forbids the plain text: most small answers are decided here.
  if (!worthwhile && !accepted.includes(";")) return undefined;
  return chooseCoding(accepted, worthwhile);
}

/** Other bytes, so another strong tag. */
function tagOf({ headers }: Rendered, coding: ContentCoding): string {
  return headers.ETag?.replace(/"$/, `-${coding}"`) ?? "";
}

/** What is likely to be sent again is compressed once. */
function compressedOf(rendered: Rendered, coding: ContentCoding): Rendered {
  const { lasting } = rendered;
  const known = lasting?.compressed.get(coding);
  if (known) return known;
  const headers = { ...rendered.headers, ETag: tagOf(rendered, coding), "Content-Encoding": coding };
  const bytes = encode(Buffer.from(lasting?.text ?? (rendered.body as string)), coding);
  if (!lasting) return { ...rendered, headers, body: bytes };
  const made = {
    ...rendered,
    headers,
    body: new Blob([bytes as Uint8Array<ArrayBuffer>]),
    headerTemplate: headers,
  };
  lasting.compressed.set(coding, made);
  return made;
}
