import type { EventSink } from "../domain/event.ts";
import type { BulkAccess, BulkStore } from "../domain/transfer.ts";
import { openEngine } from "./open-engine.ts";

/**
 * Opens the store that a URL names, for commands that move or correct animals.
 *
 * @param access what the command is to do
 * @param clock milliseconds since 1970
 * @param emit told whom the work waits for
 * @throws UnusableStore when it cannot be used as it is; StoreFailure when it cannot be reached
 */
export function openBulkStore(
  url: string,
  access: BulkAccess,
  clock: () => number,
  emit: EventSink = () => {},
): Promise<BulkStore> {
  return openEngine<BulkStore>(url, {
    async sqlite(file) {
      const { SqliteBulkStore } = await import("./sqlite/bulk/bulk-store.ts");
      return SqliteBulkStore.open(file, access, clock, emit);
    },
    async postgres(url) {
      const { PostgresBulkStore } = await import("./postgres/bulk/bulk-store.ts");
      return PostgresBulkStore.open(url, access, clock, emit);
    },
  });
}
