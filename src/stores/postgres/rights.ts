import { UnusableStore } from "../errors.ts";
import type { Pool } from "./connect/pool.ts";
import { sqlStateOf } from "./errors.ts";

/** What roles need of each kind of object, as GRANT names the kind. */
const NEEDED = {
  read: { TABLES: ["SELECT"], SEQUENCES: ["SELECT"], FUNCTIONS: ["EXECUTE"] },
  write: {
    TABLES: ["SELECT", "INSERT", "UPDATE", "DELETE"],
    SEQUENCES: ["SELECT", "USAGE", "UPDATE"],
    FUNCTIONS: ["EXECUTE"],
  },
} as const;

/** The objects of one kind on which the role lacks rights, and which rights these are. */
interface Missing {
  readonly kind: keyof (typeof NEEDED)["read"];
  readonly rights: string;
  /** Their names, in order. */
  readonly objects: readonly string[];
}

/**
 * Asserts that the role has the rights that it needs, and that no row-level security policy hides rows from it.
 *
 * @throws UnusableStore with the statements that grant what is missing
 */
export async function assertRights(pool: Pool, access: "read" | "write"): Promise<void> {
  const { TABLES: tables, SEQUENCES: sequences } = NEEDED[access];
  const [row] = await pool.read<
    { user: string; role: string; owner: string; missing: Missing[] | null; hidden: string | null }[]
  >(
    (sql) => sql`
      WITH relation AS (
        SELECT oid, relname, relkind = 'S' AS sequence FROM pg_class
         WHERE relnamespace = 'animal_store'::regnamespace AND relkind IN ('r', 'S')
      ), lacking AS (
        SELECT 'TABLES' AS kind, right_name, relname AS object
          FROM relation, unnest(${sql.array([...tables], "TEXT")}::text[]) AS right_name
         WHERE NOT sequence AND NOT has_table_privilege(oid, right_name)
               -- Only a role that may migrate writes which migrations were applied.
               AND (relname <> 'migration' OR right_name = 'SELECT')
        UNION ALL
        SELECT 'SEQUENCES', right_name, relname
          FROM relation, unnest(${sql.array([...sequences], "TEXT")}::text[]) AS right_name
         WHERE sequence AND NOT has_sequence_privilege(oid, right_name)
        UNION ALL
        SELECT 'FUNCTIONS', 'EXECUTE', proname FROM pg_proc
         WHERE pronamespace = 'animal_store'::regnamespace AND prorettype <> 'trigger'::regtype
               AND NOT has_function_privilege(oid, 'EXECUTE')
      ), missing AS (
        SELECT kind, string_agg(DISTINCT right_name, ', ' ORDER BY right_name) AS rights,
               array_agg(DISTINCT object ORDER BY object) AS objects
          FROM lacking GROUP BY kind
      )
      SELECT current_user AS user, quote_ident(current_user) AS role,
             (SELECT pg_get_userbyid(nspowner) FROM pg_namespace WHERE nspname = 'animal_store') AS owner,
             (SELECT json_agg(missing ORDER BY kind DESC) FROM missing) AS missing,
             (SELECT string_agg(relname, ', ' ORDER BY relname) FROM relation
               WHERE NOT sequence AND row_security_active(oid)) AS hidden`,
  );
  if (row === undefined) return;
  const { user, role, owner, missing, hidden } = row;
  if (missing !== null) {
    const grants = missing.map(
      ({ kind }) =>
        `GRANT ${NEEDED[access][kind].join(", ")} ON ALL ${kind} IN SCHEMA animal_store TO ${role};`,
    );
    throw new UnusableStore(
      `the user ${user} lacks rights in the schema animal_store (${missing.map(inWords).join("; ")}): ` +
        `as its owner, ${owner}, say ${grants.join(" ")}`,
    );
  }
  if (hidden) {
    throw new UnusableStore(
      `row security hides rows of ${hidden} in the schema animal_store from the user ${user}: as its owner, say ` +
        "ALTER TABLE … DISABLE ROW LEVEL SECURITY, or ALTER ROLE … BYPASSRLS.",
    );
  }
}

/** How many objects a message names before it only counts the others. */
const NAMED_OBJECTS = 3;

/** @returns `INSERT, UPDATE on the tables animal, api_key, event and 13 more`, for example */
function inWords({ kind, rights, objects }: Missing): string {
  const more = objects.length - NAMED_OBJECTS;
  const named = objects.slice(0, NAMED_OBJECTS).join(", ");
  return `${rights} on the ${kind.toLowerCase()} ${named}${more > 0 ? ` and ${more} more` : ""}`;
}

/**
 * Replaces the server's "permission denied" by an explanation of what a role lacks to read or migrate the schema. Returns
 * any other error as it is.
 *
 * @param found the version of the schema, if it could be read
 * @param wanted the version that this program needs
 */
export async function explainMissingRights(
  pool: Pool,
  error: unknown,
  found: number | undefined,
  wanted: number,
): Promise<unknown> {
  if (sqlStateOf(error) !== "42501") return error;
  const [row] = await pool.read<
    {
      user: string;
      role: string;
      database: string;
      quotedDatabase: string;
      owner: string | null;
      usable: boolean;
    }[]
  >(
    (sql) => sql`
      SELECT current_user AS user, quote_ident(current_user) AS role, current_database() AS database,
             quote_ident(current_database()) AS "quotedDatabase",
             pg_get_userbyid(nspowner) AS owner, has_schema_privilege(namespace.oid, 'USAGE') AS usable
        FROM (VALUES ('animal_store')) AS ours (name)
             LEFT JOIN pg_namespace AS namespace ON nspname = ours.name`,
  );
  const { user, role, database, quotedDatabase, owner, usable } = row ?? {};
  const say = (text: string) => new UnusableStore(text, { cause: error });
  if (owner === null) {
    return say(
      `the user ${user} may not make the schema animal_store in the database ${database}: run \`animal-store ` +
        `migrate\` as its owner, or say GRANT CREATE ON DATABASE ${quotedDatabase} TO ${role}.`,
    );
  }
  if (!usable || found === undefined) {
    return say(
      `the user ${user} may not use the schema animal_store in the database ${database}, which belongs to ${owner}: ` +
        `as ${owner}, say GRANT USAGE ON SCHEMA animal_store TO ${role}; GRANT SELECT ON animal_store.migration TO ` +
        `${role}; docs/postgresql.md has the other grants.`,
    );
  }
  return say(
    `the schema animal_store is at version ${found}, this program needs ${wanted}, and the user ${user} may not ` +
      `change it: run \`animal-store migrate\` as its owner, ${owner}.`,
  );
}
