import type { EventSink } from "../domain/event.ts";
import { openEngine } from "./open-engine.ts";
import type { StoreSchema } from "./store-schema.ts";

/**
 * Reads the schema version of the store at a URL. It changes nothing until `migrate` is called.
 *
 * @param emit receives an event if a migration has to wait for others
 * @throws UnusableStore if the store cannot be used as it is; StoreFailure if it cannot be reached
 */
export function openSchema(url: string, emit: EventSink): Promise<StoreSchema> {
  return openEngine<StoreSchema>(url, {
    async sqlite(file) {
      const { openSqliteSchema } = await import("./sqlite/schema.ts");
      return openSqliteSchema(file, emit);
    },
    async postgres(url) {
      const { openPostgresSchema } = await import("./postgres/schema.ts");
      return openPostgresSchema(url, emit);
    },
  });
}
