import { readFileSync } from "node:fs";
import { join } from "node:path";
import { SQL } from "bun";
import { freePort } from "../free-port.ts";
import { isThere, signalAll, treeOf } from "../processes.ts";
import { assertNotQuick } from "../run-limits.ts";
import type { PostgresPrograms } from "./programs.ts";

/** One server of PostgreSQL on its own data, which can be broken and repaired. */
export class PostgresServer implements AsyncDisposable {
  readonly #programs: PostgresPrograms;
  readonly #settings: readonly string[];
  #process: ReturnType<PostgresPrograms["start"]> | undefined;
  readonly port: number;
  /** Where its data and its settings are. */
  readonly data: string;

  /** @param settings in addition to those that every server of a test has */
  constructor(programs: PostgresPrograms, data: string, settings: readonly string[] = []) {
    this.#programs = programs;
    this.data = data;
    this.port = freePort();
    this.#settings = [
      "listen_addresses=127.0.0.1",
      `port=${this.port}`,
      "unix_socket_directories=",
      "max_connections=200",
      // The memory is files beside the data, which go with it; a killed server would leave those of /dev/shm behind.
      "dynamic_shared_memory_type=mmap",
      ...settings,
    ];
  }

  /** Starts it, the first time or after `kill`; resolves when it takes connections. */
  async start(): Promise<void> {
    assertNotQuick("PostgreSQL");
    this.#process = this.#programs.start(this.data, this.#settings);
    await whenReady(this.#process.stderr);
  }

  /** The URL of one of its databases. */
  url(database = "postgres"): string {
    return `postgres://postgres@127.0.0.1:${this.port}/${database}`;
  }

  /** Runs a statement on its first database. */
  async query<Row>(statement: string): Promise<Row[]> {
    await using sql = new SQL({ url: this.url(), max: 1 });
    return await sql.unsafe<Row[]>(statement);
  }

  /** Kills all of its processes, as a machine that loses power does; resolves when they are gone. */
  async kill(): Promise<void> {
    const killed = this.#processes();
    signalAll(killed, "SIGKILL");
    while (killed.some(isThere)) await Bun.sleep(5);
    await this.#process?.exited;
    this.#process = undefined;
  }

  /** Resolves when it has ended by itself. */
  async ended(): Promise<void> {
    await this.#process?.exited;
  }

  /** Stops all of its processes in the middle of what they do, connections and all, until `thaw`. */
  freeze(): void {
    signalAll(this.#processes(), "SIGSTOP");
  }

  thaw(): void {
    signalAll(this.#processes(), "SIGCONT");
  }

  /** Ends it, frozen or not. */
  async [Symbol.asyncDispose](): Promise<void> {
    if (!this.#process || this.#process.exitCode !== null) return;
    this.thaw();
    this.#process.kill("SIGQUIT");
    await this.#process.exited;
  }

  #processes(): number[] {
    return treeOf(Number(readFileSync(join(this.data, "postmaster.pid"), "utf8").split("\n")[0]));
  }
}

/** Resolves when the log says that PostgreSQL takes connections. */
async function whenReady(log: ReadableStream<Uint8Array>): Promise<void> {
  let said = "";
  const ready = Promise.withResolvers<void>();
  void (async () => {
    const decoder = new TextDecoder();
    for await (const chunk of log) {
      // Later output is read and dropped, so that a full pipe never blocks the server.
      if (said.length < 100_000) said += decoder.decode(chunk, { stream: true });
      if (/ready to accept (read-only )?connections/.test(said)) ready.resolve();
    }
    ready.reject(new Error(`PostgreSQL ended: ${said}`));
  })();
  await ready.promise;
}
