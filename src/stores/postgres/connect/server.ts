import { SQL } from "bun";
import { within } from "../../../async/within.ts";
import { explainConnectError, Refused } from "./refused.ts";
import { identify, type ServerInfo } from "./server-info.ts";
import { setUpStatement } from "./session-settings.ts";
import { sharesSessions } from "./transaction-pooler.ts";
import type { Host, PostgresUrl } from "./url.ts";

/** A connection that is open and set up. */
export interface Session {
  readonly sql: SQL;
  readonly server: ServerInfo;
  /** Resolves when the connection has ended. The library would then open another, which nobody set up. */
  readonly lost: Promise<void>;
}

/** Certificates and keys, in PEM, that the options of a URL name. */
export interface Credentials {
  readonly password: string;
  readonly ca: string | undefined;
  readonly cert: string | undefined;
  readonly key: string | undefined;
}

/** How long a server may take to let us in while nobody waits for an answer yet. */
export const START_CONNECT_MS = 5000;

/**
 * Opens one connection to one server, asks the server what it is, and sets the session up.
 *
 * @param isStart whether it is the first of this process: then it looks for a pooler that shares its sessions, with one
 *   more connection, and the server may take longer
 * @throws Refused
 */
export async function connect(
  host: Host,
  url: PostgresUrl,
  credentials: Credentials,
  isStart: boolean,
): Promise<Session> {
  const { promise: lost, resolve: onclose } = Promise.withResolvers<void>();
  const sql = client(host, url, credentials, () => onclose());
  const other = isStart ? client(host, url, credentials, () => {}) : undefined;
  const connectTimeoutMs = isStart ? START_CONNECT_MS : url.options.connectTimeoutMs;
  try {
    const server = await within(connectTimeoutMs, setUp(sql, other, url.options.statementTimeoutMs), () => {
      throw new Refused(`did not answer within ${connectTimeoutMs} ms`);
    });
    return { sql, server, lost };
  } catch (error) {
    sql.close({ timeout: 0 }).catch(() => {});
    throw error instanceof Refused ? error : await explainConnectError(error, host, url);
  } finally {
    other?.close({ timeout: 0 }).catch(() => {});
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

async function setUp(sql: SQL, other: SQL | undefined, statementTimeoutMs: number): Promise<ServerInfo> {
  const server = await identify(sql);
  // What is set in a session that others get next would be theirs.
  if (other && (await sharesSessions(sql, other))) {
    throw new Refused(
      "is behind a pooler that gives statements of one session to several servers (transaction or statement mode): " +
        "set pool_mode = session there, or name PostgreSQL itself",
    );
  }
  await sql.unsafe(setUpStatement(server.settings, server.majorVersion, statementTimeoutMs));
  return server;
}
