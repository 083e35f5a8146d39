import { SQL } from "bun";
import { within } from "../../../system/within.ts";
import { explainConnectError, Refused } from "./refused.ts";
import { identify, type ServerInfo } from "./server-info.ts";
import { setUpStatement } from "./session-settings.ts";
import { SharedSession, sharesSessions } from "./transaction-pooler.ts";
import { runUnset } from "./unset-session.ts";
import type { Host, PostgresUrl } from "./url.ts";

/** An open connection with its settings. */
export interface Session {
  readonly sql: SQL;
  readonly server: ServerInfo;
  /** Resolves when the connection has ended. The library would then open another one, without these settings. */
  readonly lost: Promise<void>;
}

/** A URL, with the certificates and the key (PEM) in the files that its options name. */
export interface Target extends PostgresUrl {
  readonly ca: string | undefined;
  readonly cert: string | undefined;
  readonly key: string | undefined;
}

/** How long connecting may take at the start, when no request waits yet. */
export const START_CONNECT_MS = 5000;

/**
 * The servers that were connected without a pooler in between that shares sessions. One whose connection ends is asked again,
 * since a pooler may have been set to another mode.
 */
const DEDICATED = new WeakSet<Host>();

/**
 * Opens one connection to one server, identifies the server, and sets up the session. With the first connection to a server, and
 * after a loss, a second one detects a pooler that shares sessions.
 *
 * @param isStart whether this is the first connection of the process. Connecting may then take longer
 * @throws Refused
 */
export async function connect(host: Host, target: Target, isStart: boolean): Promise<Session> {
  const { promise: lost, resolve: onclose } = Promise.withResolvers<void>();
  const sql = client(host, target, () => onclose());
  const other = DEDICATED.has(host) ? undefined : client(host, target, () => {});
  const connectTimeoutMs = isStart ? START_CONNECT_MS : target.options.connectTimeoutMs;
  try {
    const server = await within(
      connectTimeoutMs,
      setUp(sql, other, target.options.statementTimeoutMs),
      () => {
        throw new Refused(`did not answer within ${connectTimeoutMs} ms`);
      },
    );
    DEDICATED.add(host);
    void lost.then(() => DEDICATED.delete(host));
    return { sql, server, lost };
  } catch (error) {
    void endSession({ sql });
    throw error instanceof Refused ? error : await explainConnectError(error, host, target);
  } finally {
    if (other) void endSession({ sql: other });
  }
}

/** Closes a connection at once, with whatever runs on it. */
export async function endSession({ sql }: Pick<Session, "sql">): Promise<void> {
  await sql.close({ timeout: 0 }).catch(() => {});
}

/** Sets every option, so that the library takes none from environment variables. */
function client(host: Host, target: Target, onclose: () => void): SQL {
  const { user, password = "", database, options, ca, cert, key } = target;
  const encrypted = options.sslMode !== "disable" && options.sslMode !== "prefer";
  // The mode is in the URL: as an option, it would turn into verify-full beside a certificate authority.
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
          // The certificate chain is still verified.
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
    // The library would retry by itself. This program has its own deadlines.
    connectionTimeout: 0,
    idleTimeout: 0,
    maxLifetime: 0,
    prepare: true,
    onclose,
  } as Bun.SQL.Options);
}

async function setUp(sql: SQL, other: SQL | undefined, statementTimeoutMs: number): Promise<ServerInfo> {
  const server = await identify(sql);
  // Otherwise the next client of a shared session would get these settings.
  if (other && (await sharesSessions(sql, other))) throw new SharedSession();
  await runUnset(sql, setUpStatement(server.settings, server.majorVersion, statementTimeoutMs));
  return server;
}
