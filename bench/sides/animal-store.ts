import { Database } from "bun:sqlite";
import { join } from "node:path";
import { Cursors } from "../../src/domain/cursor.ts";
import { HERE, programOf } from "../program.ts";
import { startServer } from "../server.ts";
import type { Filter, RunningSide, Side, Start } from "../side.ts";
import { countAnimals } from "../sqlite-file.ts";

/** The service's default database. */
export const SQLITE_FILE = "data/animal-store.db";

/** What differs between the sides that are ours. */
export interface OurOptions {
  readonly name?: string;
  /** The checkout whose program it is. */
  readonly root?: string;
  /** Environment variables; the rest has its defaults. */
  readonly settings?: Readonly<Record<string, string>>;
}

/** The service as its users run it, on a file of its own. */
export function animalStore({ name = "animal-store", root = HERE, settings = {} }: OurOptions = {}): Side {
  return {
    name,
    kind: "ours",
    // Another version may differ in its headers.
    likeness: root === HERE ? "bytes" : "data",
    checksKeys: true,
    async start({ folder, animals, shared }: Start): Promise<RunningSide> {
      const key = await shared.sqlite.copyTo(folder, animals, root);
      const server = await startServer([programOf(root), "serve", "--port", "0"], { folder, env: settings });
      const file = join(folder, SQLITE_FILE);
      return {
        ...server,
        headers: { authorization: `Bearer ${key}` },
        pagePath: signedPages(sqliteSecret(file)),
        stored: async () => countAnimals(file),
      };
    },
  };
}

/** The side that all others are compared with. */
export const OURS = animalStore();
export const TWO_WORKERS = animalStore({ name: "animal-store, 2 workers", settings: { WORKERS: "2" } });

export function sqliteSecret(file: string): Uint8Array {
  using database = new Database(file, { readonly: true });
  const row = database
    .query<{ value: Uint8Array }, []>("SELECT value FROM secret WHERE name = 'cursor'")
    .get();
  if (!row) throw new Error(`${file} holds no secret for cursors`);
  return row.value;
}

/** Issues cursors as the service does: collecting them would take a walk through all pages. */
export function signedPages(secret: Uint8Array): RunningSide["pagePath"] {
  const cursors = new Cursors(secret);
  return (after: number, status: Filter) => {
    const cursor = cursors.issue(BigInt(after), { list: "listPets", filter: status ?? "" });
    return `/v1/pets?limit=20${status ? `&status=${status}` : ""}&cursor=${cursor}`;
  };
}
