import { existsSync, readdirSync, readFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { type TemporaryFolder, temporaryFolder } from "./folder.ts";
import { type Run, run } from "./program.ts";

/** A folder with a store of its own, and what a person does there; gone with `using`. */
export interface StorePlace extends Disposable {
  readonly cwd: string;
  readonly env: { readonly DATABASE_URL: string };
  /** The path of the store's file, as commands name it. */
  readonly store: string;
  /** Makes the store, empty. */
  create(): Promise<void>;
  path(file: string): string;
  write(file: string, text: string): Promise<number>;
  read(file: string): string;
  run(...args: string[]): Promise<Run>;
  /** Every animal of the store, as NDJSON lines. */
  animals(): Promise<string[]>;
  /** What lies beside the store that a command may not leave there. */
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
    create: () => createStore(`sqlite:${store}`),
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

/**
 * Makes an empty store. A process of its own does it: SQLite's connections stay open in a process that has closed them
 * until the runtime collects their statements, and a restore takes a store that is open for one in use.
 */
export async function createStore(url: string): Promise<void> {
  const { exitCode, stderr } = await run(["migrate", "--database", url], { cwd: tmpdir() });
  if (exitCode !== 0) throw new Error(`migrate failed: ${stderr}`);
}

/** A temporary folder with an empty store where the program looks for one by default. */
export async function folderWithStore(): Promise<TemporaryFolder> {
  const folder = temporaryFolder();
  await createStore(`sqlite:${folder.path}/data/animal-store.db`);
  return folder;
}
