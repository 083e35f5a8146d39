import { Heartbeat } from "./heartbeat.ts";
import type { Order, Report } from "./messages.ts";

/** Where a worker finds the file that it shares with its siblings, if they share one. */
export const SHARED_DESCRIPTOR = 3;
/** Where it finds the socket on which it asks for what is written for it. */
export const WRITER_DESCRIPTOR = 4;

/** One that does not tell within so long what it has counted is busy with something else. */
const COUNT_WITHIN_MS = 1000;

/** What a worker is given beside its orders. */
export interface Open {
  /** The descriptor of a file, if any. */
  readonly shared: number | undefined;
  /** Is given this process's end of a socket, if there is to be one. */
  readonly connect: ((descriptor: number) => void) | undefined;
}

/** A worker as its supervisor sees it: a process that takes orders and reports. */
export class WorkerProcess {
  /** From 1; one that takes the place of another has its number. */
  readonly number: number;
  /** How it ended. */
  readonly ended: Promise<string>;
  /** When, in milliseconds of the monotonic clock. */
  readonly started = performance.now();
  readonly #process: Bun.Subprocess;
  readonly #heartbeat = new Heartbeat(
    () => this.tell({ kind: "ping" }),
    (why) => this.kill(why),
  );
  #running = true;
  #reason: string | undefined;
  #counts: unknown;
  #counted = Promise.withResolvers<void>();
  #awaited: { resolve(report: Report): void; reject(reason: unknown): void } | undefined;

  /**
   * @param command what starts it
   * @param open what it finds open
   * @param waits is told when it waits for its siblings
   */
  constructor(number: number, command: readonly string[], open: Open, waits: () => void) {
    this.number = number;
    this.#process = Bun.spawn([...command], {
      stdio: ["ignore", "inherit", "inherit", open.shared ?? "ignore", open.connect ? "socket-fd" : "ignore"],
      ipc: (text: string) => {
        const report = JSON.parse(text) as Report;
        if (report.kind === "counted") this.#onCounted(report.counts);
        else if (report.kind === "pong") this.#heartbeat.answered();
        else if (report.kind === "waiting") waits();
        else if (report.kind === "failed") this.#awaited?.reject(asError(report));
        else this.#awaited?.resolve(report);
      },
    });
    const [, , , , writer] = this.#process.stdio;
    if (typeof writer === "number") open.connect?.(writer);
    this.ended = this.#process.exited.then(() => {
      this.#running = false;
      this.#heartbeat.stop();
      const { signalCode, exitCode } = this.#process;
      const how = this.#reason ?? (signalCode === null ? `exit code ${exitCode}` : String(signalCode));
      this.#awaited?.reject(new WorkerFailure(`worker ${number} ended: ${how}`));
      return how;
    });
  }

  get running(): boolean {
    return this.#running;
  }

  tell(order: Order): void {
    if (!this.#running) return;
    try {
      // As text: the runtime goes through objects one property after the other.
      this.#process.send(JSON.stringify(order));
    } catch (error) {
      // One that is just ending has hung up already; `ended` says how it ends.
      if ((error as NodeJS.ErrnoException).code !== "ERR_IPC_CHANNEL_CLOSED") throw error;
    }
  }

  /**
   * Gives an order and waits for its answer. One at a time.
   *
   * @throws what the worker says that it failed of, with the runtime's code; also when it ends
   */
  async order(order: Order): Promise<Report> {
    const answer = Promise.withResolvers<Report>();
    this.#awaited = answer;
    this.tell(order);
    if (!this.#running) answer.reject(new WorkerFailure(`worker ${this.number} has ended`));
    return answer.promise;
  }

  /** From now on it must not hang: where it does, it is killed. */
  expectAnswers(): void {
    this.#heartbeat.start();
  }

  /** What it had counted when it was last asked. */
  get counts(): unknown {
    return this.#counts;
  }

  /** Asks what it has counted so far. */
  async count(): Promise<unknown> {
    this.tell({ kind: "count" });
    await Promise.race([this.#counted.promise, this.ended, Bun.sleep(COUNT_WITHIN_MS)]);
    return this.#counts;
  }

  #onCounted(counts: unknown): void {
    this.#counts = counts;
    this.#counted.resolve();
    this.#counted = Promise.withResolvers();
  }

  /** @param reason what is told of its end */
  kill(reason?: string): void {
    this.#reason ??= reason;
    this.#process.kill("SIGKILL");
  }
}

function asError({ message, code }: Extract<Report, { kind: "failed" }>): WorkerFailure {
  return new WorkerFailure(message, code);
}

/** What a worker could not do. */
export class WorkerFailure extends Error {
  /** The runtime's, such as EADDRINUSE, where it has one. */
  readonly code: string | undefined;

  constructor(message: string, code?: string) {
    super(message);
    this.name = "WorkerFailure";
    this.code = code;
  }
}
