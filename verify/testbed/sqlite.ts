import { Database } from "bun:sqlite";
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { dirname, join, resolve } from "node:path";
import { type Fault, MissingTestbed, type Testbed, type TestStore, UnusableTestbed } from "./testbed.ts";

/**
 * A testbed for SQLite stores: a new folder inside the folder that a path names, or beside the file that it names.
 * Everything is made in there, so no existing store is touched.
 *
 * @param path a folder, or a file that does not exist yet
 */
export function openSqliteTestbed(path: string): Testbed {
  const folder = makeFolder(path);
  let count = 0;
  return {
    kind: "sqlite",
    description: `SQLite in ${folder}`,
    folder,
    // SQLite reports nothing; the sync check measures the disk itself.
    durability: async () => ({ doubts: [], details: [] }),
    fresh: async () => {
      const own = join(folder, `store-${++count}`);
      mkdirSync(own);
      return new SqliteFile(own);
    },
    async [Symbol.asyncDispose]() {
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

function makeFolder(path: string): string {
  const given = resolve(path);
  const isFolder = statSync(given, { throwIfNoEntry: false })?.isDirectory() ?? false;
  if (!isFolder && existsSync(given)) {
    throw new UnusableTestbed(
      `${given} exists, and verify never touches an existing store; name its folder, sqlite:${dirname(given)}, ` +
        "or a file that does not exist.",
    );
  }
  const parent = isFolder ? given : dirname(given);
  if (!existsSync(parent)) {
    throw new MissingTestbed(
      `there is no folder ${parent}; name an existing folder, on the disk to test, with --database sqlite:FOLDER.`,
    );
  }
  try {
    return realpathSync(mkdtempSync(join(parent, "animal-store-verify-")));
  } catch (error) {
    const [reason] = (error as Error).message.split(", mkdtemp");
    throw new UnusableTestbed(`a folder cannot be created in ${parent}: ${reason}.`);
  }
}

class SqliteFile implements TestStore {
  readonly folder: string;
  readonly #file: string;

  constructor(folder: string) {
    this.folder = folder;
    this.#file = join(folder, "store.db");
  }

  get url(): string {
    return `sqlite:${this.#file}`;
  }

  async confuse(): Promise<Fault> {
    const rename = (from: string, to: string) => {
      using database = new Database(this.#file);
      database.run("PRAGMA busy_timeout = 5000");
      database.run("PRAGMA legacy_alter_table = ON");
      const tables = database
        .query<{ name: string }, []>("SELECT name FROM sqlite_master WHERE type = 'table'")
        .all()
        .map(({ name }) => name)
        .filter((name) => name.startsWith(from) && !name.startsWith("sqlite_"));
      database.transaction(() => {
        for (const name of tables)
          database.run(`ALTER TABLE "${name}" RENAME TO "${to}${name.slice(from.length)}"`);
      })();
    };
    rename("", "elsewhere_");
    return { [Symbol.asyncDispose]: async () => rename("elsewhere_", "") };
  }

  async block(): Promise<Fault> {
    {
      using database = new Database(this.#file);
      database.run("PRAGMA busy_timeout = 5000");
      database.run("PRAGMA wal_checkpoint(TRUNCATE)");
    }
    const whole = readFileSync(this.#file);
    truncateSync(this.#file, 4096);
    return { [Symbol.asyncDispose]: async () => writeFileSync(this.#file, whole) };
  }

  async discard(): Promise<void> {
    rmSync(this.folder, { recursive: true, force: true });
  }

  async examine(): Promise<string | undefined> {
    // Examine a copy, since the program may be using the file.
    const copy = `${this.#file}.examined`;
    for (const suffix of ["", "-wal"])
      if (existsSync(this.#file + suffix)) copyFileSync(this.#file + suffix, copy + suffix);
    using database = new Database(copy);
    const rows = database
      .query<{ integrity_check: string }, []>("PRAGMA integrity_check")
      .all()
      .map((row) => row.integrity_check);
    return rows.join() === "ok" ? undefined : rows.slice(0, 3).join("; ");
  }
}
