import { SQL } from "bun";
import { within } from "../../../system/within.ts";
import { explainConnectError, Refused } from "./refused.ts";
import { identify, type ServerInfo } from "./server-info.ts";
import { setUpStatement } from "./session-settings.ts";
import { assertDedicated, doubtDedication, mayShareSessions } from "./transaction-pooler.ts";
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

/** Which part of the time for connecting a server may take to be asked again whether a pooler is in between. */
const ASKED_AGAIN_PART = 1 / 4;

/**
 * Opens one connection to one server, identifies the server, and sets up the session. With the first connection to a server, and
 * after a loss, a second one detects a pooler that shares sessions.
 *
 * @param isStart whether this is the first connection of the process. Connecting may then take longer
 * @throws Refused
 */
export async function connect(host: Host, target: Target, isStart: boolean): Promise<Session> {
  const { promise: lost, resolve: onclose } = Promise.withResolvers<void>();
  let isBroken = false;
  const breaks = () => {
    isBroken = true;
  };
  const sql = client(host, target, () => {
    breaks();
    onclose();
  });
  const other = mayShareSessions(host) ? client(host, target, breaks) : undefined;
  const connectTimeoutMs = isStart ? START_CONNECT_MS : target.options.connectTimeoutMs;
  try {
    const server = await within(
      connectTimeoutMs,
      setUp(sql, target.options.statementTimeoutMs, async () => {
        if (!other) return;
        const milliseconds = connectTimeoutMs * ASKED_AGAIN_PART;
        await assertDedicated(host, sql, other, milliseconds, () => isBroken);
      }),
      () => {
        throw new Refused(`did not answer within ${connectTimeoutMs} ms`);
      },
    );
    void lost.then(() => doubtDedication(host));
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
  // The mode is in the URL: as an option, it would turn into verify-full with a certificate authority.
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

/** @param beforeSettings is awaited before the session gets its settings */
async function setUp(
  sql: SQL,
  statementTimeoutMs: number,
  beforeSettings: () => Promise<void>,
): Promise<ServerInfo> {
  const server = await identify(sql);
  // The next client of a shared session would get these settings.
  await beforeSettings();
  await runUnset(sql, setUpStatement(server.settings, server.majorVersion, statementTimeoutMs));
  return server;
}
