import type { ObservationSink } from "../../observations/observation.ts";
import { closeOnRejection } from "../close-on-failure.ts";
import type { StoreSchema } from "../store-schema.ts";
import { openPatientPool } from "./connect/open-pool.ts";
import { changesFrom, migrate, SCHEMA_VERSION, schemaVersion } from "./migrate.ts";

/** @throws UnusableStore */
export async function openPostgresSchema(url: string, emit: ObservationSink): Promise<StoreSchema> {
  const pool = await openPatientPool(url, emit);
  return closeOnRejection(pool, async () => {
    const version = await schemaVersion(pool);
    return {
      version,
      wanted: SCHEMA_VERSION,
      changes: changesFrom(version),
      migrate: () => migrate(pool, emit),
      close: () => pool.close(),
    };
  });
}
