import type { BulkAccess, BulkStore } from "../../../domain/transfer.ts";
import type { ObservationSink } from "../../../observations/observation.ts";
import { bulkStoreOn } from "../../bulk/bulk-store.ts";
import { assertComplete } from "../../bulk/copy-target.ts";
import { closeOnRejection } from "../../close-on-failure.ts";
import { MissingStore } from "../../errors.ts";
import { openPatientPool } from "../connect/open-pool.ts";
import { migrate, schemaVersion } from "../migrate.ts";
import { assertRights } from "../rights.ts";
import { openBulkDatabase } from "./bulk-database.ts";

/**
 * Opens a store in a PostgreSQL database, for commands that read or change many animals.
 *
 * @param clock milliseconds since 1970
 * @param emit receives an event if the work has to wait for others
 * @throws UnusableStore
 */
export async function openPostgresBulkStore(
  url: string,
  access: BulkAccess,
  clock: () => number,
  emit: ObservationSink,
): Promise<BulkStore> {
  const pool = await openPatientPool(url, emit);
  try {
    if (access !== "write" && (await schemaVersion(pool)) === 0) throw new MissingStore(url);
    await migrate(pool, emit);
    await assertRights(pool, access === "read" ? "read" : "write");
  } finally {
    await pool.close();
  }
  const database = await openBulkDatabase(url, emit);
  if (access !== "write") await closeOnRejection(database, () => assertComplete(database));
  return bulkStoreOn(database, clock);
}
