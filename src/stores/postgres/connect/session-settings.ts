/** How long a connection is idle before the server probes it: firewalls forget idle connections after minutes. */
const KEEPALIVE_S = 60;

/** The values that a session has when it begins, by the names of the settings that the table asks for. */
export type FoundSettings = Readonly<Record<string, string>>;

/**
 * A setting that a promise rests on. The server's configuration, `ALTER DATABASE … SET` and `ALTER ROLE … SET` may
 * hold any value for it.
 */
interface SessionSetting {
  readonly name: string;
  /** What sessions of requests have. Without it, the value that was found stays. */
  readonly value?: string | ((found: FoundSettings, statementTimeoutMs: number) => string);
  /** What sessions for bulk work have, where that differs. */
  readonly bulk?: string;
  /** Other settings that `value` and `refusal` read, beside their own. */
  readonly reads?: readonly string[];
  /** Why the values that were found cannot be used; it completes "the server HOST …". */
  readonly refusal?: (found: FoundSettings) => string | undefined;
  /** The first major version that has it, where supported versions lack it. */
  readonly since?: number;
}

/** Planner methods that statements of ours use: a plan with a disabled one costs 1e10 before PostgreSQL 18. */
const PLANNER = [
  "enable_bitmapscan",
  "enable_hashagg",
  "enable_hashjoin",
  "enable_indexonlyscan",
  "enable_indexscan",
  "enable_material",
  "enable_mergejoin",
  "enable_nestloop",
  "enable_sort",
  "enable_tidscan",
];

/**
 * Every setting of a role, a database or a server that matters to this program: each is set, or refused by name.
 * docs/postgresql.md explains them to operators; a test holds each row to a role that has it otherwise.
 */
export const SESSION_SETTINGS: readonly SessionSetting[] = [
  {
    // In any other encoding legal names are refused, and in SQL_ASCII their characters are not counted.
    name: "server_encoding",
    refusal: ({ server_encoding }) =>
      server_encoding === "UTF8"
        ? undefined
        : `keeps this database in the encoding ${server_encoding}, which cannot hold every name; make another with ` +
          "CREATE DATABASE … ENCODING UTF8 TEMPLATE template0",
  },
  { name: "client_encoding", value: "UTF8" },
  {
    // In the role `replica` no trigger fires, so changes would stay invisible to pages that instances have cached.
    name: "session_replication_role",
    refusal: ({ session_replication_role }) =>
      session_replication_role === "replica"
        ? "has session_replication_role = replica for this user or database, which switches triggers off; say " +
          "ALTER ROLE … RESET session_replication_role (or ALTER DATABASE …)"
        : undefined,
  },
  {
    // A 201 promises that the animal is on the disk, and on that of the standbys that a commit waits for. Without
    // standbys `local` means `on`, and would outlast the moment at which standbys are configured.
    name: "synchronous_commit",
    value: ({ synchronous_commit = "on" }) => (isWeak(synchronous_commit) ? "on" : synchronous_commit),
    reads: ["synchronous_standby_names"],
    refusal: ({ synchronous_commit = "on", synchronous_standby_names }) =>
      isWeak(synchronous_commit) && synchronous_standby_names !== ""
        ? `has synchronous_commit = ${synchronous_commit} beside synchronous_standby_names: a commit that waits for ` +
          "no standby is lost in a failover; say synchronous_commit = on, or configure no synchronous standby"
        : undefined,
  },
  // Set on purpose, by an operator: refused at start; a service that runs goes on with reads.
  { name: "default_transaction_read_only", reads: ["transaction_read_only"] },
  { name: "default_transaction_isolation", value: "read committed" },
  // Names in our statements are qualified, but operators and functions could be shadowed.
  { name: "search_path", value: "pg_catalog" },
  // A policy that hides rows makes a statement fail, rather than hide animals or keys.
  { name: "row_security", value: "off" },
  // No statement of a request goes on long after its client was told otherwise.
  { name: "statement_timeout", value: (_, milliseconds) => `${milliseconds}`, bulk: "0" },
  { name: "idle_in_transaction_session_timeout", value: (_, milliseconds) => `${milliseconds}`, bulk: "0" },
  // A statement that waits for a lock ends with `statement_timeout`.
  { name: "lock_timeout", value: "0" },
  { name: "transaction_timeout", value: "0", since: 17 },
  { name: "idle_session_timeout", value: "0" },
  // Creates are sent as arrays of texts, in which NULL stands for none, and bytes are read as hex.
  { name: "array_nulls", value: "on" },
  { name: "bytea_output", value: "hex" },
  { name: "standard_conforming_strings", value: "on" },
  // Plans are made once: with the limit as a parameter PostgreSQL plans each page again, which costs as much as to
  // read it.
  { name: "plan_cache_mode", value: "force_generic_plan" },
  // Every statement has an index to go by, so no plan contains a disabled node. This only keeps the planner from
  // reading a table that happens to be empty when the plan is made, and is kept when the table has grown.
  { name: "enable_seqscan", value: "off", bulk: "on" },
  // JIT would compile for longer than any of our statements takes.
  { name: "jit", value: "off" },
  ...PLANNER.map((name) => ({ name, value: "on" })),
  { name: "tcp_keepalives_idle", value: `${KEEPALIVE_S}` },
  { name: "tcp_keepalives_interval", value: "10" },
  { name: "tcp_keepalives_count", value: "3" },
  // Tells triggers that what this session inserts comes behind all other animals.
  { name: "animal_store.appends", value: "on" },
];

/** The settings whose values are asked for before anything is set. */
export const READ_FIRST: readonly string[] = SESSION_SETTINGS.flatMap(
  ({ name, value, reads = [], refusal }) =>
    refusal || typeof value === "function" ? [name, ...reads] : reads,
);

/** The first reason why a session cannot be used; it completes "the server HOST …". */
export function refusedSetting(found: FoundSettings): string | undefined {
  for (const { refusal } of SESSION_SETTINGS) {
    const reason = refusal?.(found);
    if (reason !== undefined) return reason;
  }
  return undefined;
}

/** The statement that sets a session up, once its server is known to be usable. */
export function setUpStatement(
  found: FoundSettings,
  majorVersion: number,
  statementTimeoutMs: number,
): string {
  return setStatement(
    SESSION_SETTINGS.flatMap(({ name, value, since = 0 }) => {
      if (value === undefined || majorVersion < since) return [];
      return [[name, typeof value === "function" ? value(found, statementTimeoutMs) : value]];
    }),
  );
}

/** The statement that makes a session that is set up one for bulk work, whose statements take as long as they take. */
export function setUpBulkStatement(): string {
  return setStatement(
    SESSION_SETTINGS.flatMap(({ name, bulk }) => (bulk === undefined ? [] : [[name, bulk]])),
  );
}

/** As a query rather than SET: several in one round trip. */
function setStatement(settings: readonly string[][]): string {
  return `SELECT ${settings.map(([name, value]) => `pg_catalog.set_config('${name}', '${value}', false)`).join(", ")}`;
}

/** Whether a commit may return before it is on the primary's disk (`off`) or on a standby's (`local` too). */
function isWeak(synchronousCommit: string): boolean {
  return synchronousCommit === "off" || synchronousCommit === "local";
}
