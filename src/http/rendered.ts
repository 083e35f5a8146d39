import type { Failure } from "../domain/failure.ts";
import { entityTag } from "./entity-tag.ts";

/** An answer, whole but for the headers that every answer carries. */
export interface Rendered {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | Uint8Array | null;
  /**
   * Stands for answers whose headers have the same names, and most of them the same values: the runtime's headers
   * are made once for all. One that is likely to be sent again stands for itself, by its headers.
   */
  readonly alike?: object;
  /** What it tells, where it is a refusal: for those who watch. */
  readonly failure?: Failure;
}

/** On what the representation that a client gets depends: whether it is compressed, and who may read it. */
export const VARY = "Accept-Encoding, Origin";

/** An answer of 200 with a text of some media type, that caches may keep if they ask before each use. */
export function text(mediaType: string, body: string, headers: Record<string, string> = {}): Rendered {
  const all = {
    "Content-Type": mediaType,
    "Cache-Control": "no-cache",
    ETag: entityTag(body),
    Vary: VARY,
    ...headers,
  };
  return { status: 200, headers: all, body: Buffer.from(body), alike: all };
}
