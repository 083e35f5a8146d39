import { Database } from "bun:sqlite";
import { join } from "node:path";
import { Cursors } from "../../src/domain/cursor.ts";
import { PROGRAM } from "../program.ts";
import { startServer } from "../server.ts";
import type { Filter, RunningSide, Side, Start } from "../side.ts";
import { countAnimals } from "../sqlite-file.ts";

interface Options {
  readonly name?: string;
  /** Runs it under another program. */
  readonly under?: readonly string[];
  /** Beside the defaults. */
  readonly settings?: Readonly<Record<string, string>>;
}

/** Ours, running as its users run it, with the default settings on a file of its own. */
export function animalStore({ name = "animal-store", under = [], settings = {} }: Options = {}): Side {
  return {
    name,
    kind: "ours",
    likeness: "data",
    checksKeys: true,
    durable: true,
    async start({ folder, animals, shared }: Start): Promise<RunningSide> {
      const key = await shared.sqlite.copyTo(folder, animals);
      const server = await startServer([...under, PROGRAM, "serve", "--port", "0"], {
        folder,
        env: settings,
      });
      const file = join(folder, "data/animal-store.db");
      return {
        ...server,
        headers: { authorization: `Bearer ${key}` },
        pagePath: signedPages(secretOf(file)),
        stored: async () => countAnimals(file),
      };
    },
  };
}

/** What it is called wherever others are measured against it. */
export const OURS = animalStore();

function secretOf(file: string): Uint8Array {
  using database = new Database(file, { readonly: true });
  const row = database
    .query<{ value: Uint8Array }, []>("SELECT value FROM secret WHERE name = 'cursor'")
    .get();
  if (!row) throw new Error(`${file} holds no secret for cursors`);
  return row.value;
}

/** Issues cursors as the service does, which would take a walk through the whole stock to collect. */
export function signedPages(secret: Uint8Array): RunningSide["pagePath"] {
  const cursors = new Cursors(secret);
  return (after: number, status: Filter) => {
    const cursor = cursors.issue(BigInt(after), { list: "listPets", filter: status ?? "" });
    return `/v1/pets?limit=20${status ? `&status=${status}` : ""}&cursor=${cursor}`;
  };
}
