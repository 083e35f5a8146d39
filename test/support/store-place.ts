import { Database } from "bun:sqlite";
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import type { Run } from "../../verify/child.ts";
import { type TemporaryFolder, temporaryFolder } from "./folder.ts";
import { run } from "./program.ts";

/** A folder with a store, and the commands that a person runs there; gone with `using`. */
export interface StorePlace extends Disposable {
  readonly cwd: string;
  readonly env: { readonly DATABASE_URL: string };
  /** The path of the store's file, as commands name it. */
  readonly store: string;
  /** Makes the store with this many animals, by default none; every tenth of them is sold by an order. */
  create(animals?: number): Promise<void>;
  path(file: string): string;
  write(file: string, text: string): Promise<number>;
  read(file: string): string;
  run(...args: string[]): Promise<Run>;
  /** Every animal of the store, as NDJSON lines. */
  animals(): Promise<string[]>;
  /** Files beside the store that no command may leave there. */
  leftovers(): string[];
}

export function storePlace(): StorePlace {
  const folder = temporaryFolder();
  const env = { DATABASE_URL: "sqlite:./store/animals.db" };
  const options = { cwd: folder.path, env };
  const path = (file: string) => join(folder.path, file);
  const store = path("store/animals.db");
  return {
    ...options,
    store,
    create: (animals = 0) => copyStoreTo(store, animals),
    path,
    write: (file, text) => Bun.write(path(file), text),
    read: (file) => readFileSync(path(file), "utf8"),
    run: (...args) => run(args, options),
    async animals() {
      const { stdout } = await run(["export", "-", "--format", "ndjson"], options);
      return stdout.split("\n").filter(Boolean);
    },
    leftovers() {
      const folder = dirname(store);
      return existsSync(folder)
        ? readdirSync(folder).filter((file) => !/^animals\.db(-wal|-shm|\.replaced-.*)?$/.test(file))
        : [];
    },
    [Symbol.dispose]: () => folder[Symbol.dispose](),
  };
}

/** Makes an empty store. */
export async function createStore(url: string): Promise<void> {
  const { exitCode, stderr } = await run(["migrate", "--database", url], { cwd: tmpdir() });
  if (exitCode !== 0) throw new Error(`migrate failed: ${stderr}`);
}

/** The bytes of a store, by its number of animals: copying them takes a tenth of a start of the program. */
const stores = new Map<number, Promise<Uint8Array>>();

async function copyStoreTo(file: string, animals: number): Promise<void> {
  const made = stores.get(animals) ?? makeStore(animals);
  stores.set(animals, made);
  // With the modes that the program gives them.
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  writeFileSync(file, await made, { mode: 0o600 });
}

async function makeStore(animals: number): Promise<Uint8Array> {
  using folder = temporaryFolder();
  const file = join(folder.path, "store.db");
  await createStore(`sqlite:${file}`);
  if (animals > 0) {
    using database = new Database(file);
    database.run(
      `WITH RECURSIVE n (id) AS (SELECT 1 UNION ALL SELECT id + 1 FROM n WHERE id < ${animals})
       INSERT INTO animal (name, category_id, status) SELECT 'Animal ' || id, id, 'available' FROM n`,
    );
    database.run(
      `INSERT INTO store_order (animal_id, status, placed_at, updated_at)
       SELECT id, 'delivered', 0, 0 FROM animal WHERE id % 10 = 0`,
    );
    database.run("PRAGMA wal_checkpoint(TRUNCATE)");
  }
  return readFileSync(file);
}

/** A temporary folder with an empty store where the program looks for one by default. */
export async function folderWithStore(): Promise<TemporaryFolder> {
  const folder = temporaryFolder();
  await copyStoreTo(join(folder.path, "data/animal-store.db"), 0);
  return folder;
}
