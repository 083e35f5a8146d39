import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { Inconclusive } from "./contract-violation.ts";
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
  readonly pid: number;
  readonly exited: Promise<number>;
  readonly #keyFile: string;
  readonly #output: () => string;

  private constructor(child: Bun.Subprocess, address: string, keyFile: string, output: () => string) {
    this.address = address;
    this.pid = child.pid;
    this.exited = child.exited;
    this.#keyFile = keyFile;
    this.#output = output;
  }

  /**
   * Starts an instance on a store, on a free port, and waits until it listens.
   *
   * @param settings of this instance alone
   * @throws ProgramFailed
   */
  static async start(
    program: Program,
    { folder, url }: TestStore,
    settings: Readonly<Record<string, string>> = {},
  ): Promise<Instance> {
    program.signal.throwIfAborted();
    const keyFile = join(folder, "first-key");
    const own = { HOST: "127.0.0.1", PORT: "0", DATABASE_URL: url, FIRST_KEY: keyFile, ...settings };
    const child = Bun.spawn([...program.command, "serve"], {
      cwd: folder,
      env: { ...program.environment, ...own },
      stdin: "ignore",
      stdout: "pipe",
      stderr: "pipe",
      detached: true,
    });
    program.watchdog.began(child.pid);
    void child.exited.then(() => program.watchdog.ended(child.pid));
    const output = gather(child.stdout);
    const complaints = gather(child.stderr);
    const until = performance.now() + PATIENCE_MS;
    let address: string | undefined;
    let ended = false;
    void child.exited.then(() => {
      ended = true;
    });
    while (address === undefined) {
      address = /"address":"([^"]+)"/.exec(lineWith(output(), '"msg":"listening') ?? "")?.[1];
      if (address !== undefined) break;
      if (!ended && performance.now() > until) {
        killGroup(child.pid);
        throw new Inconclusive(
          `an instance did not start within ${PATIENCE_MS / 1000} s`,
          "The machine or its disk is too slow or too busy. Try again when the machine is less busy.",
        );
      }
      if (ended) {
        killGroup(child.pid);
        throw new ProgramFailed(`an instance did not start: ${output()}${complaints()}`.trim());
      }
      await Bun.sleep(5);
    }
    return new Instance(child, address, keyFile, () => output() + complaints());
  }

  get port(): number {
    return Number(new URL(this.address).port);
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
    return this.#output()
      .split("\n")
      .find((line) => /"level":"(?:warn|error|fatal)"/.test(line) || (line !== "" && !line.startsWith("{")));
  }

  /** Kills the process group with SIGKILL. */
  async kill(): Promise<void> {
    killGroup(this.pid);
    await this.exited;
  }

  /** Asks it to stop, and returns its exit code. */
  async stop(): Promise<number> {
    signalProcess(this.pid, "SIGTERM");
    const timer = setTimeout(() => killGroup(this.pid), PATIENCE_MS);
    const exitCode = await this.exited;
    clearTimeout(timer);
    return exitCode;
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.kill();
  }
}

/** Reads a stream to its end; the returned function returns the text so far. */
function gather(stream: ReadableStream<Uint8Array>): () => string {
  let text = "";
  void (async () => {
    const decoder = new TextDecoder();
    for await (const chunk of stream) text += decoder.decode(chunk, { stream: true });
  })();
  return () => text;
}

function lineWith(text: string, part: string): string | undefined {
  return text.split("\n").find((line) => line.includes(part));
}

function killGroup(pid: number): void {
  signalProcess(-pid, "SIGKILL");
}

function signalProcess(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch (error) {
    // It has ended already.
    if ((error as NodeJS.ErrnoException).code !== "ESRCH") throw error;
  }
}
