import { existsSync } from "node:fs";
import type { StoreSchema } from "../store-schema.ts";
import { connect } from "./connection.ts";
import { createFile } from "./file.ts";
import { migrate, refuseStranger, SCHEMA_VERSION } from "./migrate.ts";

/** @throws UnusableStore */
export function openSqliteSchema(file: string): StoreSchema {
  return {
    version: existsSync(file) ? refuseStranger(file) : 0,
    wanted: SCHEMA_VERSION,
    async migrate() {
      createFile(file);
      refuseStranger(file);
      using database = connect(file);
      migrate(database, file);
    },
    async close() {},
  };
}
