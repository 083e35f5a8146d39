import { expect } from "bun:test";
import { type Caller, expectUnavailable } from "./caller.ts";
import { until } from "./until.ts";

/** Clients that create and list, one request after the other, until the test stops them. */
export class Load {
  /** The names of all animals that were acknowledged. */
  readonly acknowledged: string[] = [];
  /** How many 503 responses each client got. */
  readonly #refusals: number[];
  #stopping = false;
  readonly #clients: Promise<void>[];
  #served = Promise.withResolvers<void>();

  /** @param callers the clients, each with its service */
  constructor(callers: readonly Caller[]) {
    this.#refusals = callers.map(() => 0);
    this.#clients = callers.map((caller, client) => this.#work(caller, client));
    // The clients are awaited at the end; until then a failure must not count as an unhandled rejection.
    for (const client of this.#clients) client.catch(() => {});
  }

  /** Resolves when an animal has been stored after this call. */
  async stores(): Promise<void> {
    this.#served = Promise.withResolvers();
    await Promise.race([this.#served.promise, Promise.all(this.#clients)]);
  }

  /** How many 503 responses all clients got together. */
  get refused(): number {
    return this.#refusals.reduce((sum, each) => sum + each, 0);
  }

  /** Resolves when every client has got this many more 503 responses: no request of theirs hangs. */
  async refusesEach(times: number): Promise<void> {
    const before = [...this.#refusals];
    const isRefused = () => this.#refusals.every((count, client) => count >= (before[client] ?? 0) + times);
    await Promise.race([until(isRefused), Promise.all(this.#clients)]);
  }

  /** Resolves when every client has its last answer; rejects if an answer was neither the wanted one nor a 503. */
  async stop(): Promise<void> {
    this.#stopping = true;
    await Promise.all(this.#clients);
  }

  async #work(caller: Caller, client: number): Promise<void> {
    for (let count = 0; !this.#stopping; count++) {
      const name = `${client}.${count}`;
      const answer = await (count % 3 === 0 ? caller.list("limit=5") : caller.create(name));
      if (answer.status === 503) {
        this.#refusals[client] = (this.#refusals[client] ?? 0) + 1;
        await expectUnavailable(answer);
        await Bun.sleep(20);
        continue;
      }
      const body = await answer.json();
      if (count % 3 === 0) {
        expect(answer.status).toBe(200);
        continue;
      }
      expect(answer.status).toBe(201);
      expect(body).toMatchObject({ name });
      this.acknowledged.push(name);
      this.#served.resolve();
    }
  }
}

/** Expects every acknowledged animal in the stock, and none twice. */
export async function expectAll(caller: Caller, acknowledged: readonly string[]): Promise<void> {
  const names = await caller.names();
  const there = new Set(names);
  expect(there.size).toBe(names.length);
  expect(acknowledged.filter((name) => !there.has(name))).toEqual([]);
}
