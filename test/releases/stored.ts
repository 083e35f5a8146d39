import { Database } from "bun:sqlite";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { SQL } from "bun";
import { fileOfStore } from "../../src/stores/url.ts";
import type { TestDatabase } from "../support/database.ts";

/** Which program made a store: a release, or the last state before the first release. */
export type Maker = "0.2.0" | "before-0.2.0";

/**
 * Makes a store as an earlier program left it: animals, a key, an idempotency record, an import and corrections. From
 * before 0.2.0 it has no more than what makes it refused, and animals.
 */
export async function loadStored({ url }: Pick<TestDatabase, "url">, maker: Maker): Promise<void> {
  const file = fileOfStore(url);
  const engine = file === undefined ? "postgres" : "sqlite";
  const statements = readFileSync(join(import.meta.dir, maker, `${engine}.sql`), "utf8");
  if (file === undefined) {
    await using sql = new SQL({ url, max: 1 });
    await sql.unsafe(statements).simple();
  } else {
    using database = new Database(file);
    database.run(statements);
  }
}

const SQLITE_SCHEMA =
  "SELECT type || ' ' || name || ': ' || coalesce(sql, '') AS what FROM sqlite_schema ORDER BY 1";
const POSTGRES_SCHEMA = `
  SELECT table_name || '.' || column_name || ': ' || data_type || ' ' || is_nullable || ' ' ||
         coalesce(column_default, identity_generation, '') AS what
    FROM information_schema.columns WHERE table_schema = 'animal_store'
  UNION ALL SELECT indexdef FROM pg_indexes WHERE schemaname = 'animal_store'
  UNION ALL SELECT conrelid::regclass || ' ' || conname || ': ' || pg_get_constraintdef(oid)
    FROM pg_constraint WHERE connamespace = 'animal_store'::regnamespace
  UNION ALL SELECT pg_get_functiondef(oid) || ' ' || coalesce(proacl::text, '') FROM pg_proc
    WHERE pronamespace = 'animal_store'::regnamespace
  UNION ALL SELECT pg_get_triggerdef(t.oid) FROM pg_trigger t JOIN pg_class c ON c.oid = tgrelid
    WHERE relnamespace = 'animal_store'::regnamespace AND NOT tgisinternal
  UNION ALL SELECT sequencename || ': ' || cache_size FROM pg_sequences WHERE schemaname = 'animal_store'
  ORDER BY 1`;

/** Everything that makes up a store's schema, as the engine itself describes it. */
export async function describeSchema({ url, query }: TestDatabase): Promise<string[]> {
  const rows = await query<{ what: string }>(
    fileOfStore(url) === undefined ? POSTGRES_SCHEMA : SQLITE_SCHEMA,
  );
  return rows.map(({ what }) => what);
}
