import type { MaybePromise } from "../../src/domain/maybe-promise.ts";
import type { Revision } from "../../src/domain/revision.ts";
import type { Store } from "../../src/domain/store.ts";

/** The revision of a store at some time between this call and its reply. */
export function revisionOf(store: Pick<Store, "together">): MaybePromise<Revision> {
  return store.together((revision) => revision);
}
