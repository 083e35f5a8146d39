import { type Address, LoadConnection } from "./connection.ts";

export interface ClosedResult {
  readonly requests: number;
  readonly microseconds: number;
  /** Sent. */
  readonly creates: number;
  readonly refusals: number;
}

/**
 * Loads a server as wrk does: each connection sends its next request as soon as the last is answered. Between two runs the
 * connections stay open; the second run continues in the circle of requests where the first has stopped.
 */
export class ClosedModel implements Disposable {
  readonly #requests: readonly Buffer[];
  readonly #isCreate: readonly boolean[];
  readonly #connections: readonly LoadConnection[];
  #next = 0;

  constructor(address: Address, requests: readonly Buffer[], connections: number) {
    this.#requests = requests;
    this.#isCreate = requests.map((request) => request.toString("latin1", 0, 5) === "POST ");
    this.#connections = Array.from({ length: connections }, () => new LoadConnection(address));
  }

  /** Connects, so that no run has to. */
  async connect(): Promise<void> {
    await Promise.all(this.#connections.map((connection) => connection.connect()));
  }

  /** Sends requests for this long, and waits until all are answered. */
  async run(seconds: number): Promise<ClosedResult> {
    let answered = 0;
    let creates = 0;
    let refusals = 0;
    const begin = performance.now();
    const end = begin + seconds * 1000;
    const use = (connection: LoadConnection) =>
      new Promise<void>((resolve) => {
        const send = () => {
          const index = this.#next++ % this.#requests.length;
          if (this.#isCreate[index]) creates++;
          connection.send(this.#requests[index] as Buffer, settle);
        };
        const settle = (status: number) => {
          if (status < 200 || status >= 400) refusals++;
          answered++;
          if (performance.now() < end) send();
          else resolve();
        };
        send();
      });
    await Promise.all(this.#connections.map(use));
    const microseconds = (performance.now() - begin) * 1000;
    return { requests: answered, microseconds, creates, refusals };
  }

  [Symbol.dispose](): void {
    for (const connection of this.#connections) connection.close();
  }
}
