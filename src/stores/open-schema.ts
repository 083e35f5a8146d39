import type { EventSink } from "../domain/event.ts";
import { openEngine } from "./open-engine.ts";
import type { StoreSchema } from "./store-schema.ts";

/**
 * Looks at the schema of the store that a URL names, and changes nothing.
 *
 * @param emit told whom a change of the schema waits for
 * @throws UnusableStore when it cannot be used as it is; StoreFailure when it cannot be reached
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
