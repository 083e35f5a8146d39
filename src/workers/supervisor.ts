import { type Tls, tryTls } from "../http/runtime/bun-servers.ts";
import type { RunningServer } from "../http/server.ts";
import type { ObservationSink } from "../observations/observation.ts";
import { BackOff } from "./back-off.ts";
import { Barrier } from "./barrier.ts";
import type { Command } from "./messages.ts";
import { WorkerFailure, WorkerProcess } from "./worker-process.ts";

interface SupervisorOptions {
  readonly workers: number;
  /** Starts a worker. */
  readonly command: readonly string[];
  /** The configuration that each worker receives. */
  readonly settings: unknown;
  readonly host: string;
  /** 0 picks a free port. */
  readonly port: number;
  readonly tls: Tls | undefined;
  /** Receives a socket whose other end is the worker's `WRITER_DESCRIPTOR`, if there is to be one. */
  readonly connect: ((descriptor: number) => void) | undefined;
  readonly emit: ObservationSink;
  /** The descriptor of a file that the workers share, if any. */
  readonly shared: number | undefined;
  /** Called when a worker has exited, with its last metrics. */
  readonly onExit: (worker: number, counts: unknown) => void;
}

/** Several workers that act as one server. */
interface Workers extends Omit<RunningServer, "streams"> {
  /** The metrics of each worker that has reported any. */
  counts(): Promise<unknown[]>;
}

/** A worker's share of the time for a stop; in the rest it closes its store and writes its log. */
const WORKER_SHARE = 0.9;
/** A worker that has not opened its store in this time hangs: waiting for locks takes 10 s at most. */
const READY_MAX_MS = 30_000;
/** A worker that has not arrived in this time after a new certificate hangs, and its siblings' clients wait for it. */
const REPLACE_MAX_MS = 5000;

/**
 * Starts worker processes that listen on one port, and replaces workers that end.
 *
 * @throws the runtime's error, with a `code` such as EADDRINUSE, when they cannot listen
 */
export async function startWorkers(options: SupervisorOptions): Promise<Workers> {
  const supervisor = new Supervisor(options);
  try {
    await supervisor.start();
  } catch (error) {
    await supervisor.abandon();
    throw error;
  }
  return supervisor;
}

class Supervisor implements Workers {
  readonly #options: SupervisorOptions;
  /** The running workers by their numbers. */
  readonly #workers = new Map<number, WorkerProcess>();
  readonly #listening = new Set<WorkerProcess>();
  /** The workers that run the current command, and those that wait for the others. */
  readonly #barrier = new Barrier<WorkerProcess>((worker) => worker.send({ kind: "proceed" }));
  readonly #backOff = new BackOff();
  #tls: Tls | undefined;
  #started = false;
  #stopping = false;
  /** The last command for all workers: such commands run one after the other. */
  #last: Promise<unknown> = Promise.resolve();
  address = "";
  port: number;

  constructor(options: SupervisorOptions) {
    this.#options = options;
    this.port = options.port;
    this.#tls = options.tls;
  }

  async start(): Promise<void> {
    const workers = Array.from({ length: this.#options.workers }, (_, index) => this.#spawn(index + 1));
    await Promise.all(workers.map((worker) => this.#prepare(worker)));
    const [first, ...others] = workers;
    // The first worker checks that the port is free, or picks one, and holds it for the others.
    if (first) await this.#listen(first);
    await Promise.all(others.map((worker) => this.#listen(worker)));
    const ended = workers.length - this.#listening.size;
    if (ended > 0) throw new WorkerFailure(`${ended} of ${workers.length} ended as soon as they listened`);
    this.#started = true;
  }

  async isReady(): Promise<boolean> {
    return !this.#stopping && this.#listening.size > 0;
  }

  async counts(): Promise<unknown[]> {
    const counts = await Promise.all([...this.#workers.values()].map((worker) => worker.count()));
    return counts.filter((each) => each !== undefined);
  }

  replaceTls(tls: Tls): Promise<void> {
    return this.#inTurn(async () => {
      tryTls(this.#options.host, tls);
      this.#tls = tls;
      const late = setTimeout(() => {
        const reason = `not ready for a certificate after ${REPLACE_MAX_MS} ms`;
        for (const worker of this.#barrier.absent) worker.kill(reason);
      }, REPLACE_MAX_MS);
      await this.#runOnAll({ kind: "replace_tls", tls });
      clearTimeout(late);
    });
  }

  stop(seconds: number): Promise<void> {
    this.#stopping = true;
    // The deadline holds too while the command before this one waits for a worker that hangs.
    const late = setTimeout(() => this.#killAll(), seconds * 1000);
    return this.#inTurn(async () => {
      await this.#runOnAll({ kind: "stop", seconds: seconds * WORKER_SHARE });
      // Workers that were still starting have nothing to finish.
      for (const worker of this.#workers.values()) if (!this.#listening.has(worker)) worker.kill();
      await this.#allEnded();
      clearTimeout(late);
    });
  }

  /** Ends all workers at once. */
  async abandon(): Promise<void> {
    this.#stopping = true;
    this.#killAll();
    await this.#allEnded();
  }

  #killAll(): void {
    for (const worker of this.#workers.values()) worker.kill();
  }

  async #allEnded(): Promise<void> {
    await Promise.all([...this.#workers.values()].map((worker) => worker.ended));
  }

  #inTurn(work: () => Promise<void>): Promise<void> {
    const done = this.#last.then(work);
    this.#last = done.catch(() => {});
    return done;
  }

  /** @throws WorkerFailure if the system refuses another process */
  #spawn(number: number): WorkerProcess {
    const { command, shared, connect } = this.#options;
    const worker: WorkerProcess = new WorkerProcess(number, command, { shared, connect }, () =>
      this.#barrier.arrive(worker),
    );
    this.#workers.set(number, worker);
    void worker.ended.then((how) => this.#onEnd(worker, how));
    return worker;
  }

  async #prepare(worker: WorkerProcess): Promise<void> {
    const late = setTimeout(() => worker.kill(`not ready after ${READY_MAX_MS / 1000} s`), READY_MAX_MS);
    try {
      await worker.run({ kind: "prepare", worker: worker.number, settings: this.#options.settings });
    } finally {
      clearTimeout(late);
    }
    worker.startHeartbeat();
  }

  async #listen(worker: WorkerProcess): Promise<void> {
    const first = this.#listening.size === 0;
    const report = await worker.run({ kind: "listen", port: this.port, first, tls: this.#tls });
    if (report.kind !== "listening") throw new Error(`worker ${worker.number} reported ${report.kind}`);
    this.address = report.address;
    this.port = report.port;
    this.#listening.add(worker);
  }

  /** Runs a command on all workers that listen, until each has carried it out or has ended. */
  async #runOnAll(command: Command): Promise<void> {
    const workers = [...this.#listening];
    for (const worker of workers) this.#barrier.join(worker);
    await Promise.allSettled(
      workers.map((worker) => worker.run(command).finally(() => this.#barrier.leave(worker))),
    );
  }

  #onEnd(worker: WorkerProcess, how: string): void {
    const { number } = worker;
    this.#workers.delete(number);
    this.#listening.delete(worker);
    this.#barrier.leave(worker);
    this.#options.onExit(number, worker.counts);
    this.#replaceLater(number, how, worker.age);
  }

  #replaceLater(number: number, how: string, livedMs: number): void {
    if (!this.#started || this.#stopping) return;
    const delay = this.#backOff.next(number, livedMs);
    this.#options.emit({ event: "worker_ended", worker: number, how, milliseconds: delay });
    // A pending restart must not keep the program from ending.
    setTimeout(() => this.#replace(number), delay).unref();
  }

  #replace(number: number): void {
    if (this.#stopping) return;
    try {
      void this.#bringUp(this.#spawn(number));
    } catch (error) {
      this.#replaceLater(number, `it could not be started: ${(error as Error).message}`, 0);
    }
  }

  async #bringUp(worker: WorkerProcess): Promise<void> {
    try {
      await this.#prepare(worker);
      await this.#inTurn(async () => {
        if (!this.#stopping) await this.#listen(worker);
      });
      this.#options.emit({ event: "worker_replaced", worker: worker.number });
    } catch (error) {
      // `#onEnd` then replaces the replacement.
      worker.kill((error as Error).message);
    }
  }
}
