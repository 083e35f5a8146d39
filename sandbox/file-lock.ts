import { Database } from "bun:sqlite";
import { linkSync, mkdtempSync, rmSync } from "node:fs";
import { join } from "node:path";
import { UnusableStore } from "../src/stores/errors.ts";
import { findFile } from "../src/stores/find-file.ts";
import { isBusy } from "../src/stores/sqlite/errors.ts";
import { readHeader } from "../src/stores/sqlite/store-files.ts";

/** Distinguishes the file of a lock from other files of its name, which are left alone: "ANSL". */
const LOCK_ID = 0x41_4e_53_4c;

/** A file that one process has locked until it ends, however it ends: the lock is SQLite's own. */
export class FileLock implements Disposable {
  readonly #path: string;
  readonly #database: Database;

  private constructor(path: string, database: Database) {
    this.#path = path;
    this.#database = database;
  }

  /**
   * Returns `undefined` if another process has the lock.
   *
   * @throws UnusableStore if the file cannot be written, or is another program's
   */
  static take(path: string): FileLock | undefined {
    try {
      if (findFile(path) === undefined) makeLockFile(path);
      // A pipe would block.
      if (!findFile(path)?.isFile() || readHeader(path)?.applicationId !== LOCK_ID) {
        throw new UnusableStore(
          `${path} is in the way: a sandbox makes a file of that name, and this is another program's. Name another store.`,
        );
      }
      return new FileLock(path, lock(path));
    } catch (error) {
      if (isBusy(error)) return undefined;
      if (error instanceof UnusableStore) throw error;
      throw new UnusableStore(`cannot write ${path}: ${(error as Error).message}`, { cause: error });
    }
  }

  [Symbol.dispose](): void {
    rmSync(this.#path, { force: true });
    this.#database.close();
  }
}

/** Gives the file its name once it is complete: a sandbox that is killed meanwhile leaves none that looks foreign. */
function makeLockFile(path: string): void {
  const folder = mkdtempSync(`${path}.`);
  try {
    const complete = join(folder, "lock");
    using database = new Database(complete, { create: true });
    database.run(`PRAGMA application_id = ${LOCK_ID}`);
    linkSync(complete, path);
  } catch (error) {
    // Another sandbox has made it meanwhile.
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function lock(path: string): Database {
  const database = new Database(path, { readwrite: true, create: false });
  try {
    database.run("BEGIN EXCLUSIVE");
    return database;
  } catch (error) {
    database.close();
    throw error;
  }
}
