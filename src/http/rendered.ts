import type { Failure } from "../domain/failure.ts";
import { entityTag } from "./entity-tag.ts";

/** An answer, whole but for the headers that every answer carries. */
export interface Rendered {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | Uint8Array | null;
  /** Whether it is likely to be sent again: then what can be made ready once is. */
  readonly lasting?: boolean;
  /** What it tells, where it is a refusal: for those who watch. */
  readonly failure?: Failure;
}

/** On what the representation that a client gets depends: whether it is compressed, and who may read it. */
export const VARY = "Accept-Encoding, Origin";

/** An answer of 200 with a text of some media type, that caches may keep if they ask before each use. */
export function text(mediaType: string, body: string, headers: Record<string, string> = {}): Rendered {
  return {
    status: 200,
    headers: {
      "Content-Type": mediaType,
      "Cache-Control": "no-cache",
      ETag: entityTag(body),
      Vary: VARY,
      ...headers,
    },
    body: Buffer.from(body),
    lasting: true,
  };
}
