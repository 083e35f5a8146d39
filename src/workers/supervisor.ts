import type { EventSink } from "../domain/event.ts";
import { type RunningServer, type Tls, tryTls } from "../http/server.ts";
import type { Order } from "./messages.ts";
import { WorkerFailure, WorkerProcess } from "./worker-process.ts";

export interface CrewOptions {
  readonly workers: number;
  /** What starts a worker. */
  readonly command: readonly string[];
  /** What each worker is told of the configuration. */
  readonly settings: unknown;
  readonly host: string;
  /** 0 picks a free one. */
  readonly port: number;
  readonly tls: Tls | undefined;
  /** Is given a socket whose other end a worker finds as `WRITER_DESCRIPTOR`, if there is to be one. */
  readonly connect: ((descriptor: number) => void) | undefined;
  readonly emit: EventSink;
  /** The descriptor of a file that they share, if any. */
  readonly shared: number | undefined;
  /** Is told of a worker that has ended, and what it had counted. */
  readonly departed: (worker: number, counts: unknown) => void;
}

/** Workers that are as one server. */
export interface Workers extends RunningServer {
  /** What each has counted so far, as far as it counts. */
  counts(): Promise<unknown[]>;
}

/** One that lived for so long ended by chance: it is replaced at once. */
const SOUND_MS = 10_000;
/** Else the second time it is waited so long, and each time twice as long. */
const PAUSE_MIN_MS = 100;
const PAUSE_MAX_MS = 10_000;
/** What a worker has of the time for a stop; in the rest it closes its store and writes its log. */
const WORKER_SHARE = 0.9;
/** A worker that has not opened its store so long after it was started hangs; to wait for locks takes 10 s at most. */
const READY_MAX_MS = 30_000;
/** One that is not ready so long after it should replace its certificate hangs: its siblings' clients wait for it. */
const REPLACE_MAX_MS = 5000;

/**
 * Starts worker processes that listen on one port, and replaces those that end. Together they are as one
 * server.
 *
 * @throws the runtime's error, with a `code` such as EADDRINUSE, when they cannot listen
 */
export async function startCrew(options: CrewOptions): Promise<Workers> {
  const crew = new Crew(options);
  try {
    await crew.start();
  } catch (error) {
    await crew.abandon();
    throw error;
  }
  return crew;
}

class Crew implements Workers {
  readonly #options: CrewOptions;
  /** Those that run, by their numbers. */
  readonly #workers = new Map<number, WorkerProcess>();
  readonly #listening = new Set<WorkerProcess>();
  /** Those that do the same thing together just now; whoever of them has come to where the others must be too. */
  readonly #together = new Set<WorkerProcess>();
  readonly #waiting = new Set<WorkerProcess>();
  /** How long it was waited before each was replaced the last time, by their numbers. */
  readonly #pauses = new Map<number, number>();
  #tls: Tls | undefined;
  #started = false;
  #stopping = false;
  /** What is done by all together is done one after the other. */
  #last: Promise<unknown> = Promise.resolve();
  address = "";
  port: number;

  constructor(options: CrewOptions) {
    this.#options = options;
    this.port = options.port;
    this.#tls = options.tls;
  }

  async start(): Promise<void> {
    const workers = Array.from({ length: this.#options.workers }, (_, index) => this.#spawn(index + 1));
    const [first, ...others] = await Promise.all(
      workers.map(async (worker) => {
        await this.#prepare(worker);
        return worker;
      }),
    );
    // It makes sure that the port is free, or finds one, and holds it for the others.
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
      const late = setTimeout(() => this.#killAbsent(), REPLACE_MAX_MS);
      await this.#orderAll({ kind: "replace_tls", tls });
      clearTimeout(late);
    });
  }

  stop(seconds: number): Promise<void> {
    this.#stopping = true;
    // Also where one hangs that the work before this waits for.
    const late = setTimeout(() => this.#kill(), seconds * 1000);
    return this.#inTurn(async () => {
      await this.#orderAll({ kind: "stop", seconds: seconds * WORKER_SHARE });
      // Those that were being started have nothing to finish.
      for (const worker of this.#workers.values()) if (!this.#listening.has(worker)) worker.kill();
      await this.#end();
      clearTimeout(late);
    });
  }

  /** Ends all at once. */
  async abandon(): Promise<void> {
    this.#stopping = true;
    this.#kill();
    await this.#end();
  }

  #kill(): void {
    for (const worker of this.#workers.values()) worker.kill();
  }

  /** Those that keep others waiting. */
  #killAbsent(): void {
    for (const worker of this.#together) {
      if (!this.#waiting.has(worker)) worker.kill(`not ready for a certificate after ${REPLACE_MAX_MS} ms`);
    }
  }

  async #end(): Promise<void> {
    await Promise.all([...this.#workers.values()].map((worker) => worker.ended));
  }

  #inTurn(work: () => Promise<void>): Promise<void> {
    const done = this.#last.then(work);
    this.#last = done.catch(() => {});
    return done;
  }

  #spawn(number: number): WorkerProcess {
    const { command, shared, connect } = this.#options;
    const worker: WorkerProcess = new WorkerProcess(number, command, { shared, connect }, () => {
      this.#waiting.add(worker);
      this.#proceed();
    });
    this.#workers.set(number, worker);
    void worker.ended.then((how) => this.#onEnd(worker, how));
    return worker;
  }

  async #prepare(worker: WorkerProcess): Promise<void> {
    const late = setTimeout(() => worker.kill(`not ready after ${READY_MAX_MS / 1000} s`), READY_MAX_MS);
    try {
      await worker.order({ kind: "prepare", worker: worker.number, settings: this.#options.settings });
    } finally {
      clearTimeout(late);
    }
    worker.expectAnswers();
  }

  async #listen(worker: WorkerProcess): Promise<void> {
    const first = this.#listening.size === 0;
    const report = await worker.order({ kind: "listen", port: this.port, first, tls: this.#tls });
    if (report.kind !== "listening") throw new Error(`worker ${worker.number} reported ${report.kind}`);
    this.address = report.address;
    this.port = report.port;
    this.#listening.add(worker);
  }

  /** Gives an order to all that listen, and waits until each has carried it out or has ended. */
  async #orderAll(order: Order): Promise<void> {
    const workers = [...this.#listening];
    for (const worker of workers) this.#together.add(worker);
    await Promise.allSettled(
      workers.map(async (worker) => {
        try {
          await worker.order(order);
        } finally {
          this.#leave(worker);
        }
      }),
    );
  }

  #leave(worker: WorkerProcess): void {
    this.#together.delete(worker);
    this.#waiting.delete(worker);
    this.#proceed();
  }

  /** Lets those that wait for each other go on, once all are there. */
  #proceed(): void {
    if (this.#waiting.size === 0) return;
    for (const worker of this.#together) if (!this.#waiting.has(worker)) return;
    const waiting = [...this.#waiting];
    this.#waiting.clear();
    for (const worker of waiting) worker.tell({ kind: "proceed" });
  }

  #onEnd(worker: WorkerProcess, how: string): void {
    const { number } = worker;
    this.#workers.delete(number);
    this.#listening.delete(worker);
    this.#leave(worker);
    this.#options.departed(number, worker.counts);
    if (!this.#started || this.#stopping) return;
    const pause = this.#pauseAfter(worker);
    this.#pauses.set(number, pause);
    this.#options.emit({ event: "worker_ended", worker: number, how, milliseconds: pause });
    // It need not keep the program from ending.
    setTimeout(() => this.#replace(number), pause).unref();
  }

  #pauseAfter({ number, started }: WorkerProcess): number {
    const before = this.#pauses.get(number);
    if (before === undefined || performance.now() - started >= SOUND_MS) return 0;
    return Math.min(Math.max(before * 2, PAUSE_MIN_MS), PAUSE_MAX_MS);
  }

  async #replace(number: number): Promise<void> {
    if (this.#stopping) return;
    const worker = this.#spawn(number);
    try {
      await this.#prepare(worker);
      await this.#inTurn(async () => {
        if (!this.#stopping) await this.#listen(worker);
      });
      this.#options.emit({ event: "worker_replaced", worker: number });
    } catch (error) {
      // What ended is seen to in `#onEnd`.
      worker.kill((error as Error).message);
    }
  }
}
