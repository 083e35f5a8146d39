import type { Revision } from "../../src/domain/revision.ts";
import type { Store } from "../../src/domain/store.ts";

/** The revision of a store at some time between this call and its reply. */
export async function revisionOf(store: Pick<Store, "read">): Promise<Revision> {
  return (await store.read(() => undefined)).revision;
}
