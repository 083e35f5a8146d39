import type { EventSink } from "../../domain/event.ts";
import { closeOnRejection } from "../close-on-failure.ts";
import type { StoreSchema } from "../store-schema.ts";
import { openPatientPool } from "./connect/open-pool.ts";
import { migrate, SCHEMA_VERSION, schemaVersion } from "./migrate.ts";

/** @throws UnusableStore */
export async function openPostgresSchema(url: string, emit: EventSink): Promise<StoreSchema> {
  const pool = await openPatientPool(url, emit);
  return closeOnRejection(pool, async () => ({
    version: await schemaVersion(pool),
    wanted: SCHEMA_VERSION,
    migrate: () => migrate(pool, emit),
    close: () => pool.close(),
  }));
}
