import type { ObservationSink } from "../../observations/observation.ts";
import { UnusableStore } from "../errors.ts";
import type { StoreSchema } from "../store-schema.ts";
import { connect } from "./connection.ts";
import { describeError, isTransient } from "./errors.ts";
import { createFile, fileExists } from "./file.ts";
import { changesFrom, migrate, readSchemaVersion, SCHEMA_VERSION } from "./migrate.ts";
import { storeFileAt } from "./store-files.ts";
import { inTurn } from "./write-turn.ts";

/**
 * @param emit receives an event if a migration has to wait for the write lock
 * @throws UnusableStore
 */
export function openSqliteSchema(path: string, emit: ObservationSink): StoreSchema {
  const version = fileExists(path) ? readSchemaVersion(path) : 0;
  return {
    version,
    wanted: SCHEMA_VERSION,
    changes: changesFrom(version),
    async migrate() {
      createFile(path);
      readSchemaVersion(path);
      const file = storeFileAt(path);
      try {
        using database = connect(file);
        await inTurn((lockWaitMs) => migrate(database, file, lockWaitMs), emit);
      } catch (error) {
        throw isTransient(error) ? new UnusableStore(describeError(error, file), { cause: error }) : error;
      }
    },
    async close() {},
  };
}
