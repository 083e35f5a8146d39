import type { EventSink } from "../../domain/event.ts";
import type { StoreSchema } from "../store-schema.ts";
import { connect } from "./connection.ts";
import { createFile, fileExists } from "./file.ts";
import { migrate, readSchemaVersion, SCHEMA_VERSION } from "./migrate.ts";
import { inTurn } from "./write-turn.ts";

/**
 * @param emit receives an event if a migration has to wait for the write lock
 * @throws UnusableStore
 */
export function openSqliteSchema(file: string, emit: EventSink): StoreSchema {
  return {
    version: fileExists(file) ? readSchemaVersion(file) : 0,
    wanted: SCHEMA_VERSION,
    async migrate() {
      createFile(file);
      readSchemaVersion(file);
      using database = connect(file);
      await inTurn((lockWaitMs) => migrate(database, file, lockWaitMs), emit);
    },
    async close() {},
  };
}
