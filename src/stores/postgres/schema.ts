import type { EventSink } from "../../domain/event.ts";
import type { StoreSchema } from "../store-schema.ts";
import { openPatientPool } from "./connect/open-pool.ts";
import { migrate, SCHEMA_VERSION, schemaVersion } from "./migrate.ts";

/** @throws UnusableStore */
export async function openPostgresSchema(url: string, emit: EventSink): Promise<StoreSchema> {
  const pool = await openPatientPool(url, emit);
  try {
    return {
      version: await schemaVersion(pool),
      wanted: SCHEMA_VERSION,
      migrate: () => migrate(pool, emit),
      close: () => pool.close(),
    };
  } catch (error) {
    await pool.close();
    throw error;
  }
}
