import type { Failure } from "../../domain/failure.ts";
import type { ContentCoding } from "./content-coding.ts";
import { entityTag } from "./entity-tag.ts";

/** An answer, whole but for the headers that every answer carries. */
export interface Rendered {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  /** Responses share a Blob; of a text or bytes each copies what its client has not read. */
  readonly body: string | Uint8Array | Blob | ReadableStream<Uint8Array> | null;
  /** Present where it is likely to be sent again. */
  readonly lasting?: Lasting;
  /**
   * Stands for answers whose headers have the same names, and most of them the same values: the runtime's headers
   * are made once for all. One that is likely to be sent again stands for itself, by its headers.
   */
  readonly alike?: object;
  /** The failure that it reports, for observers. */
  readonly failure?: Failure;
}

/** What is kept beside a response that is likely to be sent again. */
interface Lasting {
  /** The text of its body, to compress. */
  readonly text: string;
  readonly compressed: Map<ContentCoding, Rendered>;
}

/** Prepares a response to be sent many times: clients that do not read it then cost no copy of its body each. */
export function toLast(rendered: Rendered & { readonly body: string }): Rendered {
  const { body, headers } = rendered;
  const lasting = { text: body, compressed: new Map() };
  return { ...rendered, body: new Blob([body]), alike: headers, lasting };
}

/** The size of a body in bytes. */
export function bytesOf(body: Rendered["body"]): number {
  if (body === null || body instanceof ReadableStream) return 0;
  return body instanceof Blob ? body.size : Buffer.byteLength(body);
}

/** On what the representation that a client gets depends: whether it is compressed, and who may read it. */
export const VARY = "Accept-Encoding, Origin";

/** An answer of 200 with a text of some media type, that caches may keep if they ask before each use. */
export function text(mediaType: string, body: string, headers: Record<string, string> = {}) {
  const all = {
    "Content-Type": mediaType,
    "Cache-Control": "no-cache",
    ETag: entityTag(body),
    Vary: VARY,
    ...headers,
  };
  return { status: 200, headers: all, body } satisfies Rendered;
}
