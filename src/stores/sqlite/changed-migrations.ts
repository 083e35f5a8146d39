import { Database } from "bun:sqlite";
import { UnusableStore } from "../errors.ts";

/** A column of a table, or a whole index or trigger, that a migration makes. */
interface Part {
  readonly type: "column" | "index" | "trigger";
  /** For a column with its table: `key_use.day`. */
  readonly name: string;
  /** The statement that makes an index or a trigger, or what a column is. */
  readonly definition: string;
}

const COLUMNS = `
  SELECT 'column' AS type, t.name || '.' || c.name AS name,
         format('%s %d %d', upper(c.type), c."notnull", c.pk) AS definition
    FROM sqlite_schema AS t, pragma_table_info(t.name) AS c
   WHERE t.type = 'table' AND t.name NOT LIKE 'sqlite_%'`;
const OTHERS =
  "SELECT type, name, sql AS definition FROM sqlite_schema WHERE type IN ('index', 'trigger') AND sql NOTNULL";

const made = new Map<number, readonly Part[]>();

/**
 * What a store lacks, or has otherwise, of what these migrations make: SQLite keeps the statement that made each index
 * and trigger, so a migration that has changed since it ran shows in what it made. What no migration makes is left
 * alone: it may be the operator's, or a column of a later version.
 *
 * @param migrations the first of this program's migrations
 */
export function changedParts(database: Database, migrations: readonly string[]): readonly Part[] {
  const found = new Map(partsOf(database).map((part) => [`${part.type} ${part.name}`, part.definition]));
  return partsMadeBy(migrations).filter(
    ({ type, name, definition }) => found.get(`${type} ${name}`) !== definition,
  );
}

/**
 * Makes each index that a migration made otherwise or not at all. The same cannot be done for columns and triggers: rows
 * that they would refuse may be there.
 *
 * @throws UnusableStore that names them
 */
export function repairChanged(database: Database, file: string, migrations: readonly string[]): void {
  const changed = changedParts(database, migrations);
  const lost = changed.filter(({ type }) => type !== "index").map(({ type, name }) => `the ${type} ${name}`);
  if (lost.length > 0) {
    throw new UnusableStore(
      `${file} is not as a release makes it, in ${lost.join(", ")}. Export its animals with the ` +
        "program that made it (`animal-store export animals.ndjson`), and import them into a new store with this " +
        "program (`animal-store import animals.ndjson`): they keep their ids, and need new API keys.",
    );
  }
  for (const { name, definition } of changed) {
    database.run(`DROP INDEX IF EXISTS ${name}`);
    database.run(definition);
  }
}

function partsMadeBy(migrations: readonly string[]): readonly Part[] {
  const known = made.get(migrations.length);
  if (known) return known;
  using database = new Database(":memory:");
  for (const migration of migrations) database.run(migration);
  const parts = partsOf(database);
  made.set(migrations.length, parts);
  return parts;
}

function partsOf(database: Database): Part[] {
  return [COLUMNS, OTHERS].flatMap((query) =>
    database
      .query<Part, []>(query)
      .all()
      .map((part) => ({ ...part, definition: withoutLayout(part.definition) })),
  );
}

/** Comments, line breaks and the quotes that a renaming leaves do not change what a statement makes. */
function withoutLayout(statement: string): string {
  return statement.replace(/--.*$/gm, "").replace(/"/g, "").replace(/\s+/g, " ").trim();
}
