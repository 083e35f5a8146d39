import type { ApiKey } from "../../domain/api-key.ts";
import type { Revision } from "../../domain/revision.ts";

/** Who listens: a key that was looked up, and how to look it up again. */
export interface Listener {
  readonly key: ApiKey;
  readonly hash: Uint8Array;
  /** A revision from before the key was looked up. */
  readonly asOf: Revision;
}
