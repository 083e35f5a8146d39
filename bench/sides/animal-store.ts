import { readFileSync } from "node:fs";
import { join } from "node:path";
import { type RunningSide, startServer } from "../side.ts";
import { countAnimals } from "../stock.ts";

const PROGRAM = join(import.meta.dir, "../../bin/animal-store");

/** Ours, running as its users run it, with the default settings on a file of its own. */
export async function startAnimalStore(folder: string): Promise<RunningSide & { readonly key: string }> {
  const keyFile = join(folder, "first-key");
  const server = await startServer([PROGRAM, "serve", "--port", "0", "--first-key", keyFile], folder);
  return {
    ...server,
    key: readFileSync(keyFile, "utf8").trim(),
    stored: () => countAnimals(join(folder, "data/animal-store.db")),
  };
}
