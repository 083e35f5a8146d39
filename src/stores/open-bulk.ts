import type { EventSink } from "../domain/event.ts";
import type { BulkAccess, BulkStore } from "../domain/transfer.ts";
import { openEngine } from "./open-engine.ts";

/**
 * Opens the store at a URL, for commands that read, move or correct many animals.
 *
 * @param clock milliseconds since 1970
 * @param emit receives an event if the work has to wait for others
 * @throws UnusableStore if the store cannot be used as it is; StoreFailure if it cannot be reached
 */
export function openBulkStore(
  url: string,
  access: BulkAccess,
  clock: () => number,
  emit: EventSink = () => {},
): Promise<BulkStore> {
  return openEngine<BulkStore>(url, {
    async sqlite(file) {
      const { openSqliteBulkStore } = await import("./sqlite/bulk/bulk-store.ts");
      return openSqliteBulkStore(file, access, clock, emit);
    },
    async postgres(url) {
      const { openPostgresBulkStore } = await import("./postgres/bulk/bulk-store.ts");
      return openPostgresBulkStore(url, access, clock, emit);
    },
  });
}
