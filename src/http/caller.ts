import type { ApiKey } from "../domain/api-key.ts";
import type { Revision } from "../domain/revision.ts";
import type { Route } from "./request/routes.ts";

/** What a client presented as its API key. */
export interface Presented {
  readonly token: string;
  /** Finds the key in the store. */
  readonly hash: Uint8Array;
}

/** The caller of a request whose key must be looked up: it has not been yet, or it may have changed since. */
export interface UnknownCaller extends Presented {
  readonly state: "unknown";
}

/** The caller of a request whose key was valid when it was last looked up. It may have been revoked since. */
export interface KnownCaller extends Presented {
  readonly state: "known";
  readonly key: ApiKey;
  /** A revision from before the key was looked up. */
  readonly asOf: Revision;
}

/** The caller of a request whose key was valid at some time since the request arrived, and that may do what it asks for. */
export interface ConfirmedCaller {
  readonly state: "confirmed";
  readonly known: KnownCaller;
  /** The operation that it asks for. */
  readonly route: Route;
}
