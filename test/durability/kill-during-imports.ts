import { Database } from "bun:sqlite";
import { expect } from "bun:test";
import { existsSync } from "node:fs";
import { PROGRAM, TIED } from "../support/program.ts";
import { storePlace } from "../support/store-place.ts";

/** A CSV file of so many animals, called `Animal 1` and on. */
export function rows(count: number): string {
  let text = "name,categoryId,status\n";
  for (let row = 1; row <= count; row++) text += `Animal ${row},${row},pending\n`;
  return text;
}

/**
 * Kills imports until one has the time to finish: then each animal of the file is there once.
 *
 * @param flags of the command; without any, each import stores all or nothing
 * @param count how many animals the file has
 * @param delayMs how long an attempt may take, the first being 0; it must grow
 */
export async function killDuringImports(
  flags: readonly string[],
  count: number,
  delayMs: (attempt: number) => number,
): Promise<void> {
  using here = storePlace();
  await here.write("many.csv", rows(count));
  const { PATH = "", HOME = "" } = process.env;
  let killed = 0;
  for (let attempt = 0; ; attempt++) {
    const child = Bun.spawn([...TIED, PROGRAM, "import", "many.csv", ...flags], {
      cwd: here.cwd,
      env: { ...here.env, PATH, HOME },
      stderr: "ignore",
    });
    const timer = setTimeout(() => child.kill("SIGKILL"), delayMs(attempt));
    await child.exited;
    clearTimeout(timer);
    const stored = countAnimals(here.store);
    if (flags.length === 0) expect([0, count]).toContain(stored);
    if (child.signalCode !== "SIGKILL") {
      expect({ exitCode: child.exitCode, stored }).toEqual({ exitCode: 0, stored: count });
      break;
    }
    killed++;
  }
  expect(killed).toBeGreaterThan(0);
  expect((await here.run("import", "many.csv", ...flags)).stderr).toContain(
    "This content was already imported",
  );
  const names = (await here.animals()).map((line) => (JSON.parse(line) as { name: string }).name);
  expect(names).toEqual(Array.from({ length: count }, (_, index) => `Animal ${index + 1}`));
  expect(here.leftovers()).toEqual([]);
}

/** The number of animals in a store's file, which an import may not have made yet. */
function countAnimals(file: string): number {
  if (!existsSync(file)) return 0;
  using database = new Database(file);
  if (!database.query("SELECT 1 FROM sqlite_schema WHERE name = 'animal'").get()) return 0;
  return database.query<{ count: number }, []>("SELECT count(*) AS count FROM animal").get()?.count ?? 0;
}
