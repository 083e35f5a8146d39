import { expect } from "bun:test";
import { type Caller, expectUnavailable } from "./caller.ts";

/** Longer than any answer may take: what is not there by then hangs. */
const HANGS_MS = 10_000;

/** Clients that create and list, one request after the other, until they are told to stop. */
export class Load {
  /** The names of all animals that were acknowledged. */
  readonly acknowledged: string[] = [];
  /** How often a client was told to try again later. */
  refused = 0;
  #stopping = false;
  readonly #clients: Promise<void>[];
  #served = Promise.withResolvers<void>();

  /** @param callers the clients, each with its service */
  constructor(callers: readonly Caller[]) {
    this.#clients = callers.map((caller, client) => this.#work(caller, client));
    // They are awaited in the end; until then a failure is not to pass for one that nobody caught.
    for (const client of this.#clients) client.catch(() => {});
  }

  /** Resolves when something has been stored after this call. */
  async stores(): Promise<void> {
    this.#served = Promise.withResolvers();
    await Promise.race([this.#served.promise, Promise.all(this.#clients)]);
  }

  /** Resolves when every client has its last answer; rejects if one was answered otherwise than it may be. */
  async stop(): Promise<void> {
    this.#stopping = true;
    await Promise.all(this.#clients);
  }

  async #work(caller: Caller, client: number): Promise<void> {
    for (let count = 0; !this.#stopping; count++) {
      const name = `${client}.${count}`;
      const answer = await inTime(count % 3 === 0 ? caller.list("limit=5") : caller.create(name));
      if (answer.status === 503) {
        this.refused++;
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

/** An answer, where it comes: a client that gets none is left hanging. */
async function inTime(answer: Promise<Response>): Promise<Response> {
  const { promise: hangs, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(() => reject(new Error(`no answer within ${HANGS_MS} ms`)), HANGS_MS);
  try {
    return await Promise.race([answer, hangs]);
  } finally {
    clearTimeout(timer);
  }
}

/** Holds a stock to what its clients were told: each animal that was acknowledged is there, and none twice. */
export async function expectAll(caller: Caller, acknowledged: readonly string[]): Promise<void> {
  const names = await caller.names();
  const there = new Set(names);
  expect(there.size).toBe(names.length);
  expect(acknowledged.filter((name) => !there.has(name))).toEqual([]);
}
