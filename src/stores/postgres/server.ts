import { lookup } from "node:dns/promises";
import { SQL } from "bun";
import { sqlState } from "./errors.ts";
import type { Host, PostgresUrl } from "./url.ts";

/** The oldest PostgreSQL that is taken: its makers mended it until November 2026, and none before it. */
const OLDEST = 14;

/** What statements may take on the server, so that none goes on long after its client was told otherwise. */
export const STATEMENT_TIMEOUT_MS = 1000;

const LOOKUP_MS = 300;

/** How long a connection is idle before the server asks for us: firewalls forget who is silent for minutes. */
const KEEPALIVE_S = 60;

/** A connection that is open and set up. */
export interface Session {
  readonly sql: SQL;
  readonly greeting: Greeting;
  /** Resolves when the connection has ended. The library would then open another, which nobody set up. */
  readonly lost: Promise<void>;
}

/** What a server says of itself when it lets us in. */
export interface Greeting {
  /** Such as 180004 for 18.4. */
  readonly version: number;
  /** The number of its process that serves this connection. */
  readonly process: number;
  /** It repeats what another server writes. */
  readonly standby: boolean;
  readonly readOnly: boolean;
  /** Grows when a standby is promoted; 0 where the server does not tell. */
  readonly timeline: number;
}

/** A server cannot be used now. The message completes "the server HOST …". */
export class Refused extends Error {
  /** Whether it may let us in in a moment: it is only starting, or full. */
  readonly passing: boolean;

  constructor(message: string, passing: boolean, options?: ErrorOptions) {
    super(message, options);
    this.name = "Refused";
    this.passing = passing;
  }
}

/** Certificates and keys, in PEM, that the options of a URL name. */
export interface Credentials {
  readonly password: string;
  readonly ca: string | undefined;
  readonly cert: string | undefined;
  readonly key: string | undefined;
}

/**
 * Opens one connection to one server, sets its session up, and asks the server what it is, in one more
 * round trip.
 *
 * @throws Refused
 */
export async function connect(host: Host, url: PostgresUrl, credentials: Credentials): Promise<Session> {
  const { promise: lost, resolve: onclose } = Promise.withResolvers<void>();
  const sql = client(host, url, credentials, () => onclose());
  const { connectTimeoutMs } = url.options;
  const { promise: late, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(
    () => reject(new Refused(`did not answer within ${connectTimeoutMs} ms`, false)),
    connectTimeoutMs,
  );
  try {
    const greeting = await Promise.race([greet(sql), late]);
    if (greeting.version < OLDEST * 10_000) {
      throw new Refused(
        `is PostgreSQL ${Math.floor(greeting.version / 10_000)}; ${OLDEST} is the oldest that will do`,
        false,
      );
    }
    return { sql, greeting, lost };
  } catch (error) {
    sql.close({ timeout: 0 }).catch(() => {});
    throw error instanceof Refused ? error : await refusalOf(error, host, url);
  } finally {
    clearTimeout(timer);
  }
}

/** Everything is said, so that nothing is taken from environment variables. */
function client(
  host: Host,
  { user, database, options }: PostgresUrl,
  credentials: Credentials,
  onclose: () => void,
): SQL {
  const { ca, cert, key, password } = credentials;
  const encrypted = options.sslMode !== "disable" && options.sslMode !== "prefer";
  // The mode is said in the URL: elsewhere, naming an authority to trust makes it verify-full.
  return new SQL(`postgres://_/_?sslmode=${options.sslMode}`, {
    adapter: "postgres",
    hostname: host.name,
    port: host.port,
    username: user,
    password: () => password,
    database,
    tls: encrypted
      ? {
          rejectUnauthorized: options.sslMode !== "require",
          ...(ca !== undefined && { ca }),
          ...(cert !== undefined && { cert, key }),
          ...(options.sslPassword !== undefined && { passphrase: options.sslPassword }),
          // The chain is looked at all the same.
          ...(options.sslMode === "verify-ca" && { checkServerIdentity: () => undefined }),
        }
      : undefined,
    channelBinding: options.channelBinding,
    connection: {
      application_name: options.applicationName,
      ...(options.serverOptions !== undefined && { options: options.serverOptions }),
    },
    bigint: true,
    max: 1,
    // The library would try again by itself; how long we wait is said here.
    connectionTimeout: 0,
    idleTimeout: 0,
    maxLifetime: 0,
    prepare: true,
    onclose,
  } as Bun.SQL.Options);
}

/**
 * Sets what the promises of this program rest on, whatever the server's defaults are.
 *
 * Every statement has an index to go by, so no plan contains a disabled node. `enable_seqscan` only keeps the planner
 * from reading a table that happens to be empty when the plan is made: an empty table costs nothing to read, and the
 * plan is kept when the table has grown. JIT would compile for longer than any of our statements takes.
 */
async function greet(sql: SQL): Promise<Greeting> {
  const [[row], timeline] = await Promise.all([
    sql`
      SELECT current_setting('server_version_num')::int AS version,
             pg_backend_pid() AS process,
             pg_is_in_recovery() AS standby,
             current_setting('transaction_read_only') = 'on' AS "readOnly",
             set_config('default_transaction_isolation', 'read committed', false),
             set_config('synchronous_commit', CASE current_setting('synchronous_commit')
                        WHEN 'off' THEN 'on' ELSE current_setting('synchronous_commit') END, false),
             set_config('statement_timeout', ${`${STATEMENT_TIMEOUT_MS}`}, false),
             set_config('idle_in_transaction_session_timeout', ${`${STATEMENT_TIMEOUT_MS}`}, false),
             set_config('plan_cache_mode', 'force_generic_plan', false),
             set_config('enable_seqscan', 'off', false),
             set_config('jit', 'off', false),
             set_config('animal_store.appends', 'on', false),
             set_config('tcp_keepalives_idle', ${`${KEEPALIVE_S}`}, false),
             set_config('tcp_keepalives_interval', '10', false),
             set_config('tcp_keepalives_count', '3', false)`,
    readTimeline(sql),
  ]);
  return { ...row, timeline };
}

async function readTimeline(sql: SQL): Promise<number> {
  try {
    const [row] = await sql`
      SELECT CASE WHEN pg_is_in_recovery() THEN 0
                  ELSE ('x' || substr(pg_walfile_name(pg_current_wal_lsn()), 1, 8))::bit(32)::int
             END AS timeline`;
    return row.timeline;
  } catch (error) {
    // Some that speak PostgreSQL's protocol have no such log.
    if (sqlState(error) === undefined) throw error;
    return 0;
  }
}

async function refusalOf(
  error: unknown,
  host: Host,
  { user, database, options }: PostgresUrl,
): Promise<Refused> {
  const { code = "", message } = error as { code?: string; message: string };
  const say = (text: string, passing = false) => new Refused(text, passing, { cause: error });
  switch (sqlState(error) ?? code) {
    case "ERR_POSTGRES_CONNECTION_REFUSED":
      return (await isKnown(host))
        ? say("cannot be reached: PostgreSQL must run there, and listen on that address and port")
        : say("is not known by that name");
    case "ERR_POSTGRES_CONNECTION_FAILED":
    case "ERR_POSTGRES_CONNECTION_CLOSED":
    case "ERR_POSTGRES_UNEXPECTED_MESSAGE":
      return say("does not answer as it should: it is just ending, or what listens there is no PostgreSQL");
    case "ERR_POSTGRES_TLS_NOT_AVAILABLE":
      return say(`offers no TLS; turn it on there, or say another sslmode than ${options.sslMode}`);
    case "ERR_TLS_CERT_ALTNAME_INVALID":
      return say("has a certificate for another name; use that name, or sslmode=verify-ca");
    case "28P01":
      return say(`refuses the user ${user}: the password is wrong, or there is none`);
    case "28000":
      return say(`refuses the user ${user}: ${message}`);
    case "3D000":
      return say(`has no database ${database}; make it, with createdb say`);
    case "42501":
      return say(`does not let the user ${user} use the database ${database}: ${message}`);
    case "53300":
      return say("has no connection to spare: raise its max_connections, or run fewer clients", true);
    case "57P03":
      return say(`takes no connections yet: ${message}`, true);
  }
  if (/CERT|SIGNATURE|ISSUER|OSSL|BORINGSSL/.test(code)) {
    return say(`has a certificate that is not trusted (${message}); name its authority's with sslrootcert`);
  }
  return say(`refuses the connection: ${sqlState(error) ?? code}: ${message}`);
}

/** Whether a name leads to an address, as far as can be told soon. */
function isKnown({ name }: Host): boolean | Promise<boolean> {
  if (name.startsWith("/")) return true;
  const asked = lookup(name).then(
    () => true,
    () => false,
  );
  return Promise.race([asked, Bun.sleep(LOOKUP_MS).then(() => true)]);
}
