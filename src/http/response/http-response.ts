import type { Failure } from "../../domain/failure.ts";
import { type ContentCoding, entityTag } from "../../operations/entity-tag.ts";
import type { Effort } from "./content-coding.ts";

/** A response without the headers that every response carries. */
export interface HttpResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  /** Responses share a Blob. Of a text or bytes, each response copies the part that its client has not read. */
  readonly body: string | Uint8Array | Blob | ReadableStream<Uint8Array> | null;
  /** Present if the response is likely to be sent again. */
  readonly preEncoded?: PreEncoded;
  /**
   * Shared by responses whose headers have the same names and mostly the same values, so that the runtime's `Headers`
   * are made once for all of them. A response that is likely to be sent again uses its own headers as the template.
   */
  readonly headerTemplate?: object;
  /** The failure that the response reports, for observers. */
  readonly failure?: Failure;
}

/** What is kept with a response that is likely to be sent again: one in the cache, or a page. */
interface PreEncoded {
  /** The body's text, to compress. */
  readonly text: string;
  readonly compressed: Map<ContentCoding, HttpResponse>;
  readonly effort: Effort;
}

/**
 * Prepares a response to be sent many times: a client that does not read it then costs no copy of the body.
 *
 * @param effort `thorough` if the response lasts as long as the process
 */
export function preEncode(response: HttpResponse & { readonly body: string }, effort: Effort): HttpResponse {
  const { body, headers } = response;
  const preEncoded = { text: body, compressed: new Map(), effort };
  return { ...response, body: new Blob([body]), headerTemplate: headers, preEncoded };
}

/** The size of a body in bytes. */
export function bytesOf(body: HttpResponse["body"]): number {
  if (body === null || body instanceof ReadableStream) return 0;
  return body instanceof Blob ? body.size : Buffer.byteLength(body);
}

/** The representation depends on these request headers: whether it is compressed, and which origin may read it. */
export const VARY = "Accept-Encoding, Origin";

/** A response of 200 with a text of a media type. Caches may keep it if they revalidate it before each use. */
export function text(mediaType: string, body: string, headers: Record<string, string> = {}) {
  const all = {
    "Content-Type": mediaType,
    "Cache-Control": "no-cache",
    ETag: entityTag(body),
    Vary: VARY,
    ...headers,
  };
  return { status: 200, headers: all, body } satisfies HttpResponse;
}
