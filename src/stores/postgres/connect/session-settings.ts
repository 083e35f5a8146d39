/** The idle time before the server probes a connection. Firewalls drop idle connections after minutes. */
const KEEPALIVE_S = 60;

/** The values of settings at the start of a session, by name. */
export type FoundSettings = Readonly<Record<string, string>>;

/**
 * A setting that a promise depends on. The server's configuration, `ALTER DATABASE … SET` or `ALTER ROLE … SET` may give it
 * any value.
 */
interface SessionSetting {
  readonly name: string;
  /** The value for sessions of requests. Without it, the original value stays. */
  readonly value?: string | ((found: FoundSettings, statementTimeoutMs: number) => string);
  /** The value for bulk sessions, if it differs. */
  readonly bulk?: string;
  /** Other settings that `value` and `refusal` read. */
  readonly reads?: readonly string[];
  /** Why the original values cannot be used; it completes "the server HOST …". */
  readonly refusal?: (found: FoundSettings) => string | undefined;
  /** The first major version with this setting, if some supported versions lack it. */
  readonly since?: number;
}

/** Planner methods that our statements use. Before PostgreSQL 18, a disabled method adds 1e10 to a plan's cost. */
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
 * Every setting of a role, a database or a server that matters to this program. Each is set, or its value is refused by
 * name. docs/postgresql.md explains them to operators; a test tries each row with a role that has another value.
 */
export const SESSION_SETTINGS: readonly SessionSetting[] = [
  {
    // Other encodings cannot hold all valid names, and SQL_ASCII counts bytes instead of characters.
    name: "server_encoding",
    refusal: ({ server_encoding }) =>
      server_encoding === "UTF8"
        ? undefined
        : `keeps this database in the encoding ${server_encoding}, which cannot hold every name; make another with ` +
          "CREATE DATABASE … ENCODING UTF8 TEMPLATE template0",
  },
  { name: "client_encoding", value: "UTF8" },
  {
    // In the role `replica` no trigger fires, so changes would not invalidate cached pages.
    name: "session_replication_role",
    refusal: ({ session_replication_role }) =>
      session_replication_role === "replica"
        ? "has session_replication_role = replica for this user or database, which switches triggers off; say " +
          "ALTER ROLE … RESET session_replication_role (or ALTER DATABASE …)"
        : undefined,
  },
  {
    // A 201 promises that the animal is on the disk of the primary and of the standbys that a commit waits for. Without
    // standbys `local` equals `on`, but it would stay when standbys are configured later.
    name: "synchronous_commit",
    value: ({ synchronous_commit = "on" }) => (isWeak(synchronous_commit) ? "on" : synchronous_commit),
    reads: ["synchronous_standby_names"],
    refusal: ({ synchronous_commit = "on", synchronous_standby_names }) =>
      isWeak(synchronous_commit) && synchronous_standby_names !== ""
        ? `has synchronous_commit = ${synchronous_commit} with synchronous_standby_names: a commit that waits for ` +
          "no standby is lost in a failover; say synchronous_commit = on, or configure no synchronous standby"
        : undefined,
  },
  // An operator sets this on purpose: it is refused at the start, while a running service continues with reads.
  { name: "default_transaction_read_only", reads: ["transaction_read_only"] },
  { name: "default_transaction_isolation", value: "read committed" },
  // Our statements qualify the names of tables, but operators and functions could be shadowed.
  { name: "search_path", value: "pg_catalog" },
  // With `off`, a policy that would hide animals or keys makes the statement fail instead.
  { name: "row_security", value: "off" },
  // No statement runs on long after its request has failed.
  { name: "statement_timeout", value: (_, milliseconds) => `${milliseconds}`, bulk: "0" },
  { name: "idle_in_transaction_session_timeout", value: (_, milliseconds) => `${milliseconds}`, bulk: "0" },
  // A statement that waits for a lock ends with `statement_timeout`.
  { name: "lock_timeout", value: "0" },
  { name: "transaction_timeout", value: "0", since: 17 },
  { name: "idle_session_timeout", value: "0" },
  // Creates are sent as arrays of texts in which NULL is a null, and the library reads bytes as hex.
  { name: "array_nulls", value: "on" },
  { name: "bytea_output", value: "hex" },
  // Tokens of the logs are compared, so each digit counts.
  { name: "extra_float_digits", value: "1" },
  { name: "standard_conforming_strings", value: "on" },
  // Otherwise PostgreSQL plans each page again because its limit is a parameter, which costs as much as reading it.
  { name: "plan_cache_mode", value: "force_generic_plan" },
  // Every statement has a suitable index, so no plan contains a disabled node. This only prevents a sequential scan of a
  // table that is empty when the plan is made: the session would keep that plan when the table has grown.
  { name: "enable_seqscan", value: "off", bulk: "on" },
  // JIT compilation would take longer than any of our statements.
  { name: "jit", value: "off" },
  ...PLANNER.map((name) => ({ name, value: "on" })),
  { name: "tcp_keepalives_idle", value: `${KEEPALIVE_S}` },
  { name: "tcp_keepalives_interval", value: "10" },
  { name: "tcp_keepalives_count", value: "3" },
  // Tells triggers that this session only appends animals.
  { name: "animal_store.appends", value: "on" },
];

/** The settings to read before any of them is changed. */
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

/** The statement that sets up a session on a usable server. */
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

/** The statement that turns such a session into a bulk session, whose statements have no time limit. */
export function setUpBulkStatement(): string {
  return setStatement(
    SESSION_SETTINGS.flatMap(({ name, bulk }) => (bulk === undefined ? [] : [[name, bulk]])),
  );
}

/** A query instead of SET, so that one round trip changes all settings. */
function setStatement(settings: readonly string[][]): string {
  return `SELECT ${settings.map(([name, value]) => `pg_catalog.set_config('${name}', '${value}', false)`).join(", ")}`;
}

/** Whether a commit may return before it is on the disk of the primary (`off`) or of a standby (`off` and `local`). */
function isWeak(synchronousCommit: string): boolean {
  return synchronousCommit === "off" || synchronousCommit === "local";
}
