import { percentile } from "../spread.ts";
import { type Address, LoadConnection } from "./connection.ts";

/** Requests sent at a fixed rate, whatever happens to earlier ones. */
interface Stream {
  readonly name: string;
  /** Sent in a circle. */
  readonly requests: readonly Buffer[];
  /** Requests a second. */
  readonly rate: number;
  readonly connections: number;
}

/** Milliseconds. */
export interface Percentiles {
  readonly p50: number;
  readonly p99: number;
  readonly p999: number;
  readonly max: number;
}

export interface StreamResult {
  readonly name: string;
  readonly scheduled: number;
  /** Responses of 400 and above, and failed connections. */
  readonly refusals: number;
  /** Requests without a response at the end of the run; each counts as having taken until then. */
  readonly unanswered: number;
  /** From the scheduled moment of a request to the last byte of its response. */
  readonly latency: Percentiles;
  /** How late the generator itself was: that part of the latency is not the server's. */
  readonly lateness: Percentiles;
}

const GRACE_MS = 5000;
/** The precision of timers. */
const TIMER_MS = 2;
/** For moments nearer than a timer can hit, the generator sleeps in such pieces: spinning would take a core from the server. */
const NAP_MS = 0.05;
/** Nobody notifies it, so a wait for it ends with its time-out. */
const NOTHING = new Int32Array(new SharedArrayBuffer(4));

/**
 * Loads a server in an open model: each request has a scheduled moment, from which its latency counts. When the server
 * stalls, every request whose moment passes meanwhile has waited, although no connection was free to send it. A
 * generator that waits for each response before it sends again would see one slow response for each connection.
 *
 * @param graceMs how long to wait for responses after the last request's moment
 */
export async function openModel(
  address: Address,
  streams: readonly Stream[],
  seconds: number,
  graceMs = GRACE_MS,
): Promise<StreamResult[]> {
  const runs = streams.map((stream) => new StreamRun(address, stream, seconds));
  await Promise.all(runs.map((run) => run.connect()));
  const begin = performance.now();
  for (const run of runs) run.begin(begin);
  const end = begin + seconds * 1000 + graceMs;
  await new Promise<void>((resolve) => {
    const tick = () => {
      const now = performance.now();
      let next = Number.POSITIVE_INFINITY;
      for (const run of runs) next = Math.min(next, begin + run.takeUp(now - begin));
      if (now >= end || runs.every((run) => run.isDone())) resolve();
      else if (Math.min(next, end) - now > TIMER_MS)
        setTimeout(tick, Math.min(next - now, 20) - TIMER_MS / 2);
      else {
        if (next > now) Atomics.wait(NOTHING, 0, 0, Math.min(next - now, NAP_MS));
        setImmediate(tick);
      }
    };
    tick();
  });
  return runs.map((run) => run.finish(performance.now() - begin));
}

/** One stream in one run. All times but `#began` are milliseconds since the run began. */
class StreamRun {
  readonly #stream: Stream;
  readonly #idle: LoadConnection[];
  readonly #connections: readonly LoadConnection[];
  readonly #latencies: Float64Array;
  readonly #lateness: Float64Array;
  #began = 0;
  /** The first request that is not due yet, and the first that has not been sent. */
  #next = 0;
  #unsent = 0;
  #answered = 0;
  #refusals = 0;

  constructor(address: Address, stream: Stream, seconds: number) {
    this.#stream = stream;
    this.#connections = Array.from({ length: stream.connections }, () => new LoadConnection(address));
    this.#idle = [...this.#connections];
    const scheduled = Math.max(1, Math.floor(stream.rate * seconds));
    this.#latencies = new Float64Array(scheduled).fill(Number.NaN);
    this.#lateness = new Float64Array(scheduled);
  }

  async connect(): Promise<void> {
    await Promise.all(this.#connections.map((connection) => connection.connect()));
  }

  begin(now: number): void {
    this.#began = now;
  }

  /** Takes up every request that is due, and returns the moment of the next. */
  takeUp(now: number): number {
    while (this.#next < this.#latencies.length && this.#momentOf(this.#next) <= now) {
      this.#lateness[this.#next] = now - this.#momentOf(this.#next);
      this.#next++;
    }
    this.#send();
    return this.#next < this.#latencies.length ? this.#momentOf(this.#next) : Number.POSITIVE_INFINITY;
  }

  isDone(): boolean {
    return this.#answered === this.#latencies.length;
  }

  finish(now: number): StreamResult {
    for (const connection of this.#connections) connection.close();
    for (const [index, latency] of this.#latencies.entries()) {
      if (Number.isNaN(latency)) this.#latencies[index] = now - this.#momentOf(index);
    }
    return {
      name: this.#stream.name,
      scheduled: this.#latencies.length,
      refusals: this.#refusals,
      unanswered: this.#latencies.length - this.#answered,
      latency: percentiles(this.#latencies),
      lateness: percentiles(this.#lateness),
    };
  }

  #momentOf(index: number): number {
    return (index * 1000) / this.#stream.rate;
  }

  #send(): void {
    const { requests } = this.#stream;
    while (this.#unsent < this.#next && this.#idle.length > 0) {
      const connection = this.#idle.pop() as LoadConnection;
      const index = this.#unsent++;
      connection.send(requests[index % requests.length] as Buffer, (status) => {
        const now = performance.now() - this.#began;
        this.#latencies[index] = now - this.#momentOf(index);
        this.#answered++;
        if (status < 200 || status >= 400) this.#refusals++;
        this.#idle.push(connection);
        this.#send();
      });
    }
  }
}

function percentiles(values: Float64Array): Percentiles {
  const sorted = values.toSorted();
  return {
    p50: percentile(sorted, 0.5),
    p99: percentile(sorted, 0.99),
    p999: percentile(sorted, 0.999),
    max: percentile(sorted, 1),
  };
}
