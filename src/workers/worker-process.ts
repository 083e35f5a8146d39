import { Heartbeat } from "../system/heartbeat.ts";
import { within } from "../system/within.ts";
import type { Command, Report } from "./messages.ts";

/** The descriptor of the file that workers share, if they share one. */
export const SHARED_DESCRIPTOR = 3;
/** The descriptor of the socket on which a worker sends its writes to the supervisor, if it does. */
export const WRITER_DESCRIPTOR = 4;

/** A worker that does not report its metrics in this time is busy; its last ones stand in for them. */
const COUNT_WITHIN_MS = 1000;

/** What a worker finds open when it starts. */
interface Descriptors {
  /** A file, if any. */
  readonly shared: number | undefined;
  /** Receives this process's end of a socket, if there is to be one. */
  readonly connect: ((descriptor: number) => void) | undefined;
}

/** A worker as its supervisor sees it: a process that carries out commands and reports. */
export class WorkerProcess {
  /** From 1; a replacement takes over the number. */
  readonly number: number;
  /** Resolves with how it ended. */
  readonly ended: Promise<string>;
  readonly #started = performance.now();
  readonly #process: Bun.Subprocess;
  readonly #onBarrier: () => void;
  readonly #heartbeat = new Heartbeat(
    () => this.send({ kind: "ping" }),
    (seconds) => this.kill(`it did not answer for ${seconds} s`),
  );
  #running = true;
  #reason: string | undefined;
  #counts: unknown;
  #counted = Promise.withResolvers<void>();
  #awaited: { resolve(report: Report): void; reject(reason: unknown): void } | undefined;

  /**
   * @param command starts the process
   * @param onBarrier called when the worker arrives at the barrier
   * @throws WorkerFailure if the system refuses another process
   */
  constructor(
    number: number,
    command: readonly string[],
    { shared, connect }: Descriptors,
    onBarrier: () => void,
  ) {
    this.number = number;
    this.#onBarrier = onBarrier;
    try {
      this.#process = Bun.spawn([...command], {
        stdio: ["ignore", "inherit", "inherit", shared ?? "ignore", connect ? "socket-fd" : "ignore"],
        ipc: (text: string) => this.#onReport(JSON.parse(text) as Report),
      });
    } catch (error) {
      throw new WorkerFailure((error as Error).message);
    }
    const [, , , , writer] = this.#process.stdio;
    if (typeof writer === "number") connect?.(writer);
    this.ended = this.#process.exited.then(() => {
      this.#running = false;
      this.#heartbeat.stop();
      const { signalCode, exitCode } = this.#process;
      const how = this.#reason ?? (signalCode === null ? `exit code ${exitCode}` : String(signalCode));
      this.#awaited?.reject(new WorkerFailure(`worker ${number} ended: ${how}`));
      return how;
    });
  }

  /** How long it has been running, in milliseconds. */
  get age(): number {
    return performance.now() - this.#started;
  }

  send(command: Command): void {
    if (!this.#running) return;
    try {
      // As text: the runtime would copy an object property by property.
      this.#process.send(JSON.stringify(command));
    } catch (error) {
      // A worker that is exiting has closed the channel; `ended` reports how it ended.
      if ((error as NodeJS.ErrnoException).code !== "ERR_IPC_CHANNEL_CLOSED") throw error;
    }
  }

  /**
   * Sends a command and waits for its report. One at a time.
   *
   * @throws WorkerFailure when the worker reports a failure or ends
   */
  async run(command: Command): Promise<Report> {
    const report = Promise.withResolvers<Report>();
    this.#awaited = report;
    this.send(command);
    if (!this.#running) report.reject(new WorkerFailure(`worker ${this.number} has ended`));
    return report.promise;
  }

  /** From now on the worker must not hang: if it does, it is killed. */
  startHeartbeat(): void {
    this.#heartbeat.start();
  }

  /** The metrics that it reported last. */
  get counts(): unknown {
    return this.#counts;
  }

  /** Asks for its metrics. */
  async count(): Promise<unknown> {
    this.send({ kind: "count" });
    await within(COUNT_WITHIN_MS, Promise.race([this.#counted.promise, this.ended]), () => {});
    return this.#counts;
  }

  #onReport(report: Report): void {
    if (report.kind === "counted") this.#onCounted(report.counts);
    else if (report.kind === "pong") this.#heartbeat.answered();
    else if (report.kind === "waiting") this.#onBarrier();
    else if (report.kind === "failed") this.#awaited?.reject(new WorkerFailure(report.message, report.code));
    else this.#awaited?.resolve(report);
  }

  #onCounted(counts: unknown): void {
    this.#counts = counts;
    this.#counted.resolve();
    this.#counted = Promise.withResolvers();
  }

  /** @param reason what `ended` reports */
  kill(reason?: string): void {
    this.#reason ??= reason;
    this.#process.kill("SIGKILL");
  }
}

/** A worker could not carry out a command. */
export class WorkerFailure extends Error {
  /** The runtime's code, such as EADDRINUSE, if it has one. */
  readonly code: string | undefined;

  constructor(message: string, code?: string) {
    super(message);
    this.name = "WorkerFailure";
    this.code = code;
  }
}
