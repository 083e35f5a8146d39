import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { assert, Inconclusive } from "../contract/contract-violation.ts";
import { Child, OutputTimeout } from "./child.ts";
import type { TestStore } from "./testbed/testbed.ts";
import type { Watchdog } from "./watchdog.ts";

/** How to start the program under test. */
export interface Program {
  readonly command: readonly string[];
  readonly environment: Readonly<Record<string, string>>;
  /** Kills the instances if this process dies. */
  readonly watchdog: Watchdog;
  /** Once it is aborted, nothing more is started. */
  readonly signal: AbortSignal;
}

/** How long a start or a stop may take on a busy machine, in milliseconds. */
const PATIENCE_MS = 60_000;

/** A command of the program failed. */
export class ProgramFailed extends Error {}

/** An instance of the service, in a process group of its own. */
export class Instance implements AsyncDisposable {
  readonly address: string;
  readonly #child: Child;
  readonly #keyFile: string;

  private constructor(child: Child, address: string, keyFile: string) {
    this.#child = child;
    this.address = address;
    this.#keyFile = keyFile;
  }

  /**
   * Starts an instance on a store, on a free port, and waits until it listens.
   *
   * @param settings of this instance alone
   * @throws ProgramFailed; Inconclusive if it takes too long
   */
  static async start(
    { command, environment, watchdog, signal }: Program,
    { folder, url }: TestStore,
    settings: Readonly<Record<string, string>> = {},
  ): Promise<Instance> {
    signal.throwIfAborted();
    const keyFile = join(folder, "first-key");
    const own = { HOST: "127.0.0.1", PORT: "0", DATABASE_URL: url, FIRST_KEY: keyFile, ...settings };
    const env = { ...environment, ...own };
    const child = new Child([...command, "serve"], { cwd: folder, env, detached: true });
    watchdog.began(child.pid);
    void child.exited.then(() => watchdog.ended(child.pid));
    try {
      return new Instance(child, await child.listens(PATIENCE_MS), keyFile);
    } catch (error) {
      signalProcess(-child.pid, "SIGKILL");
      if (!(error instanceof OutputTimeout)) throw error;
      if (!error.isLate)
        throw new ProgramFailed(`an instance did not start: ${child.output}${child.errors}`.trim());
      throw new Inconclusive(
        `an instance did not start within ${PATIENCE_MS / 1000} s`,
        "The machine or its disk is too slow or too busy. Try again when the machine is less busy.",
      );
    }
  }

  get pid(): number {
    return this.#child.pid;
  }

  get base(): string {
    return `${this.address}/v1`;
  }

  /** The first key of its store. */
  get key(): string {
    if (!existsSync(this.#keyFile)) throw new ProgramFailed("an empty store got no first key");
    return readFileSync(this.#keyFile, "utf8").trim();
  }

  /** The first warning or error in its log, if any. */
  get complaint(): string | undefined {
    return `${this.#child.output}${this.#child.errors}`
      .split("\n")
      .find((line) => /"level":"(?:warn|error|fatal)"/.test(line) || (line !== "" && !line.startsWith("{")));
  }

  /** Kills the process group with SIGKILL. */
  async kill(): Promise<void> {
    signalProcess(-this.pid, "SIGKILL");
    await this.#child.exited;
  }

  /**
   * Asks it to stop.
   *
   * @throws BrokenPromise unless it exits with 0
   */
  async stop(): Promise<void> {
    signalProcess(this.pid, "SIGTERM");
    const timer = setTimeout(() => signalProcess(-this.pid, "SIGKILL"), PATIENCE_MS);
    const exitCode = await this.#child.exited;
    clearTimeout(timer);
    assert(exitCode === 0, "an instance that stops on SIGTERM with exit code 0", `${exitCode}`);
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.kill();
  }
}

/** @param pid of a process, or below 0 of its group */
function signalProcess(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch (error) {
    // It has ended already.
    if ((error as NodeJS.ErrnoException).code !== "ESRCH") throw error;
  }
}
