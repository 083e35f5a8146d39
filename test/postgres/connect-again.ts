import type { Store } from "../../src/domain/store.ts";
import type { TestDatabase } from "../support/database.ts";
import { revisionOf } from "../support/revision-of.ts";
import { until } from "../support/until.ts";

/** Makes a store lose its connections and connect again, as it does when another server takes over. */
export async function connectAgain(store: Store, database: TestDatabase): Promise<void> {
  const { epoch } = await revisionOf(store);
  await until(async () => {
    await database.query(
      "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()",
    );
    const found = await Promise.resolve(revisionOf(store)).catch(() => undefined);
    return found && found.epoch > epoch;
  });
}
