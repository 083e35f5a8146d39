import { type Database, SQLiteError } from "bun:sqlite";
import { linkSync, renameSync } from "node:fs";
import type { StoredKey } from "../../../domain/transfer.ts";
import { UnusableStore } from "../../errors.ts";
import { assertReleased } from "../../schema-version.ts";
import { storedKeys } from "../api-keys.ts";
import { assertApplicationId } from "../application-id.ts";
import { openDatabase } from "../connection.ts";
import { findCursorSecret } from "../cursor-secret.ts";
import { isBusy } from "../errors.ts";
import { isLocked } from "../lock-holders.ts";
import { scalar } from "../scalar.ts";
import { type LastIds, lastIdOf, lastIdsOf } from "../sequence.ts";
import { moveCompanions } from "../store-files.ts";
import { retryWhileBusy } from "../write-lock.ts";

/** How long to try for the lock. A process that holds it for longer is using the store. */
const LOCK_TIMEOUT_MS = 1000;

/** Facts of the store to be replaced that the backup may lack. */
export interface Knowledge {
  readonly lastIds: LastIds;
  readonly lastKeyId: bigint;
  readonly keys: readonly StoredKey[];
  /** Identifies the store; `undefined` if no service has run on it. */
  readonly secret: Uint8Array | undefined;
}

/** The store at a path, locked against all other processes until this object is disposed of. */
export class RestoreTarget implements Disposable {
  readonly #file: string;
  readonly #database: Database | undefined;
  /** `undefined` if the store cannot be read. */
  readonly knowledge: Knowledge | undefined;

  /** @throws UnusableStore if a process has the file open, or it is not a store */
  constructor(file: string) {
    this.#file = file;
    const database = openDatabase(file);
    try {
      retryWhileBusy(() => lock(database), LOCK_TIMEOUT_MS);
      this.knowledge = read(database, file);
      this.#database = database;
    } catch (error) {
      database.close();
      if (!(error instanceof SQLiteError)) throw error;
      if (!isBusy(error) && !isLocked(file)) return;
      throw new UnusableStore(
        `${file} is in use; stop the service, and whatever else has it open, and then restore.`,
      );
    }
  }

  /** Replaces the store by another file. Even after a crash, one of the two files is at the path. */
  replaceBy(temporary: string, replacedPath: string): void {
    linkSync(this.#file, replacedPath);
    // A store that cannot be read may have a log; beside another file, SQLite would apply that log to the file.
    moveCompanions(this.#file, replacedPath);
    renameSync(temporary, this.#file);
  }

  [Symbol.dispose](): void {
    this.#database?.close();
  }
}

/** Leaving WAL mode writes the log into the file, and takes the exclusive lock. */
function lock(database: Database): void {
  const mode = scalar<string>(database, "PRAGMA journal_mode = DELETE");
  if (mode !== "delete") throw new Error(`journal mode ${mode}`);
  database.run("BEGIN EXCLUSIVE");
}

function read(database: Database, file: string): Knowledge {
  const owner = scalar<bigint>(database, "PRAGMA application_id");
  if (scalar<bigint>(database, "SELECT count(*) FROM sqlite_schema") === 0n) {
    return {
      lastIds: { animal: 0n, store_order: 0n, event: 0n },
      lastKeyId: 0n,
      keys: [],
      secret: undefined,
    };
  }
  assertApplicationId(Number(owner), file);
  assertReleased(Number(scalar<bigint>(database, "PRAGMA user_version")), file);
  return {
    lastIds: lastIdsOf(database),
    lastKeyId: lastIdOf(database, "api_key"),
    keys: storedKeys(database),
    secret: findCursorSecret(database),
  };
}
