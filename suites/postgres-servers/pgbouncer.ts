import { join } from "node:path";
import { freePort } from "../../test/support/free-port.ts";
import { requirePrograms } from "../../test/support/installed-programs.ts";
import { guardedFolder } from "../../test/support/postgres/guarded-folder.ts";
import { TIED } from "../../test/support/program.ts";

/** PgBouncer refuses to run as root: then it runs as `nobody`. */
const NOBODY = 65534;

type PoolMode = "session" | "transaction" | "statement";

/** A PgBouncer before a PostgreSQL, gone with `await using`. */
export interface PgBouncer extends AsyncDisposable {
  /** The URL that leads through it to the same database. */
  readonly url: string;
  /** Such as `PgBouncer 1.18.0`. */
  readonly version: string;
  /** Sets another mode, and how many clients it takes, while it runs. */
  reload(poolMode: PoolMode, clientsMax?: number): Promise<void>;
}

/**
 * Starts a PgBouncer that hands its clients on to a server, whichever of its databases they ask for.
 *
 * @param serverUrl of a database on the server, with its user
 * @throws Error where PgBouncer is not installed or does not start
 */
export async function startPgBouncer(serverUrl: string, poolMode: PoolMode): Promise<PgBouncer> {
  requirePrograms({ pgbouncer: "pgbouncer" });
  const server = new URL(serverUrl);
  const folder = guardedFolder();
  const settings = join(folder.path, "pgbouncer.ini");
  const port = freePort();
  const configure = (mode: PoolMode, clientsMax = 1000) =>
    Bun.write(
      settings,
      `[databases]
* = host=${server.hostname} port=${server.port} user=${server.username}
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${port}
unix_socket_dir =
auth_type = any
pool_mode = ${mode}
max_client_conn = ${clientsMax}
; Each process of the service holds some connections for as long as it runs.
default_pool_size = 150
`,
    );
  await configure(poolMode);
  Bun.spawnSync(["chmod", "-R", "a+rX", folder.path]);
  const user = process.getuid?.() === 0 ? { uid: NOBODY, gid: NOBODY } : {};
  const child = Bun.spawn([...TIED, "pgbouncer", settings], {
    cwd: "/",
    stdin: "ignore",
    stdout: "ignore",
    stderr: "pipe",
    ...user,
  });
  const pooled = new URL(serverUrl);
  pooled.hostname = "127.0.0.1";
  pooled.port = `${port}`;
  await whenListening(child.stderr);
  return {
    url: pooled.href,
    version: Bun.spawnSync(["pgbouncer", "--version"]).stdout.toString().split("\n")[0] as string,
    async reload(mode, clientsMax) {
      await configure(mode, clientsMax);
      child.kill("SIGHUP");
    },
    async [Symbol.asyncDispose]() {
      child.kill("SIGKILL");
      await child.exited;
      folder[Symbol.dispose]();
    },
  };
}

/** Resolves when PgBouncer's log says so. */
async function whenListening(log: ReadableStream<Uint8Array>): Promise<void> {
  const ready = Promise.withResolvers<void>();
  void (async () => {
    const decoder = new TextDecoder();
    let said = "";
    for await (const chunk of log) {
      // Later lines are read, so that they do not fill the pipe, and dropped.
      if (said.length < 100_000) said += decoder.decode(chunk, { stream: true });
      if (said.includes("process up")) ready.resolve();
    }
    ready.reject(new Error(`PgBouncer ended: ${said}`));
  })();
  await ready.promise;
}
