import type { ApiKey } from "../../domain/api-key.ts";
import type { Revision } from "../../domain/revision.ts";

/** The client of a stream: its key as it was looked up, and how to look it up again. */
export interface Listener {
  readonly requestId: string;
  readonly key: ApiKey;
  readonly hash: Uint8Array;
  /** A revision from before the key was looked up. */
  readonly asOf: Revision;
  /** Makes the runtime close the connection soon, even if the client does not read. */
  abandon(): void;
}
