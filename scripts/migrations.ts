import { readdirSync } from "node:fs";
import { join } from "node:path";
import { FIRST_SCHEMA_VERSION } from "../src/stores/schema-version.ts";
import { format } from "./client/source.ts";

const STORES = join(import.meta.dir, "../src/stores");

/** By engine: what holds of its migrations. */
const ENGINES = {
  postgres: "A migration that locks tables locks `state` first, as creates do.",
  sqlite: "`user_version` is the number of the last migration that was applied.",
} as const;

type Engine = keyof typeof ENGINES;

/** `src/stores/migrations.ts`: the migrations of each engine's folder, in the order of their numbers. */
export function migrationsModule(): string {
  const engines = Object.keys(ENGINES) as Engine[];
  return format(
    [
      "// Generated from the folders `migrations` by `npm run generate`: do not edit. A build takes what is imported here.\n\n",
      ...engines.flatMap((engine) =>
        filesOf(engine).map(
          (file) =>
            `import ${nameOf(engine, file)} from "./${engine}/migrations/${file}" with { type: "text" };\n`,
        ),
      ),
      "\n// In order; a released migration never changes, and only adds: neighbouring versions serve side by side.\n",
      ...engines.map((engine) => {
        const names = filesOf(engine).map((file) => `${nameOf(engine, file)},\n`);
        return `\n/** ${ENGINES[engine]} */\nexport const ${engine.toUpperCase()}_MIGRATIONS: readonly string[] = [\n${names.join("")}];\n`;
      }),
    ].join(""),
  );
}

function filesOf(engine: Engine): readonly string[] {
  return inOrder(`src/stores/${engine}/migrations`, readdirSync(join(STORES, engine, "migrations")));
}

/**
 * Sorts the files of a folder by their numbers.
 * @throws Error if a number is missing or stands twice: two branches that are merged may both have taken the next one
 */
export function inOrder(folder: string, files: readonly string[]): readonly string[] {
  const sorted = [...files].sort();
  for (const [at, file] of sorted.entries()) {
    const number = numberOf(at);
    if (!file.startsWith(`${number}-`))
      throw new Error(
        `${folder}/${file}: after ${sorted[at - 1] ?? "no file"}, a name begins with ${number}-`,
      );
  }
  return sorted;
}

/** The number with which the name of a migration begins, by how many come before it. */
export function numberOf(before: number): string {
  return `${FIRST_SCHEMA_VERSION + before}`.padStart(4, "0");
}

/** `sqlite0011` of `0011-orders.sql`. */
function nameOf(engine: Engine, file: string): string {
  return `${engine}${file.split("-")[0]}`;
}
