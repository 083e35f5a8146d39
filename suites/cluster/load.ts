import { expect } from "bun:test";
import { type Caller, expectUnavailable } from "../../test/support/caller.ts";
import { type Busy, keepDoing } from "../../test/support/keep-doing.ts";
import { type Animal, Walker } from "../../test/support/walker.ts";
import type { Acknowledged, History } from "./history.ts";

/** Longer than any answer may take: what is not there by then hangs. */
const HANGS_MS = 15_000;
const PAUSE_MS = 20;

/**
 * Bounded load on each instance: two clients that create, of which one sends an `Idempotency-Key` and so follows up
 * what became of a create that was not acknowledged, and a client that walks the list and comes back.
 */
export class ClusterLoad implements Disposable {
  readonly #history: History;
  readonly #clients: Busy;
  readonly #walkers: readonly InstanceWalker[];

  constructor(callers: readonly Caller[], history: History, walkers: readonly InstanceWalker[]) {
    this.#history = history;
    this.#walkers = walkers;
    const run = crypto.randomUUID().slice(0, 8);
    this.#clients = keepDoing(callers.length * 3, async (client, time) => {
      const at = client % callers.length;
      const kind = (["keyed", "plain", "walk"] as const)[Math.floor(client / callers.length)];
      if (kind === "walk") await (walkers[at] as InstanceWalker).goOn();
      else await this.#create(callers[at] as Caller, at, `${run} ${kind} ${at} ${time}`, kind === "keyed");
    });
  }

  /** Resolves when this holds; rejects when a client was answered otherwise than it may be. */
  until(holds: () => boolean): Promise<void> {
    return this.#clients.until(holds);
  }

  /** Resolves when every instance has acknowledged so many more creates, and shown a page. */
  async serves(creates: number): Promise<void> {
    await this.#after(performance.now(), creates);
  }

  /** The times, in milliseconds after a moment, of each instance's first acknowledged create and first page. */
  async firstAfter(moment: number): Promise<{ readonly creates: number[]; readonly lists: number[] }> {
    await this.#after(moment, 1);
    const first = (events: readonly { instance: number; at: number }[]) =>
      this.#walkers.map((_, at) => {
        const event = events.find(({ instance, at: time }) => instance === at && time >= moment);
        return Math.round((event?.at as number) - moment);
      });
    return { creates: first(this.#history.acknowledged), lists: first(this.#history.listed) };
  }

  /** Resolves when every client has its last answer, and every walker has come to the end of the list. */
  async stop(): Promise<void> {
    await this.#clients.stop();
    for (const walker of this.#walkers) await walker.goOn();
  }

  [Symbol.dispose](): void {
    this.#clients[Symbol.dispose]();
  }

  async #after(moment: number, creates: number): Promise<void> {
    const { acknowledged, listed } = this.#history;
    const count = (events: readonly { instance: number; at: number }[], instance: number) =>
      events.reduce((sum, each) => sum + (each.instance === instance && each.at >= moment ? 1 : 0), 0);
    await this.until(() =>
      this.#walkers.every((_, at) => count(acknowledged, at) >= creates && count(listed, at) >= 1),
    );
  }

  async #create(caller: Caller, instance: number, name: string, keyed: boolean): Promise<void> {
    const begun = performance.now();
    for (;;) {
      const answer = await inTime(caller.create(name, keyed ? name : null));
      if (answer.status !== 503) {
        const animal = (await answer.json()) as Animal;
        expect([answer.status, animal]).toEqual([201, expect.objectContaining({ name })]);
        this.#history.acknowledged.push({ id: animal.id, name, instance, begun, at: performance.now() });
        break;
      }
      this.#history.refused++;
      await expectUnavailable(answer);
      await Bun.sleep(PAUSE_MS);
      // Without a key nobody can know whether it was stored.
      if (!keyed) return;
    }
    await Bun.sleep(PAUSE_MS);
  }
}

/** Walks the list of one instance, comes back for what is new, and notes how fresh it was. */
export class InstanceWalker {
  readonly #history: History;
  readonly walker: Walker;
  readonly #shown = new Set<number>();
  /** Those that were acknowledged, on whichever instance, and that no list has shown yet. */
  #awaited: Acknowledged[] = [];
  #known = 0;

  constructor(caller: Caller, instance: number, history: History) {
    this.#history = history;
    const list = async (query?: string): Promise<Response> => {
      for (;;) {
        const answer = await inTime(caller.list(query));
        if (answer.status !== 503) {
          history.listed.push({ instance, at: performance.now() });
          return answer;
        }
        history.refused++;
        await expectUnavailable(answer);
        await Bun.sleep(PAUSE_MS);
      }
    };
    this.walker = new Walker({ list }, 100);
  }

  async goOn(): Promise<void> {
    const begun = performance.now();
    const { seen } = this.walker;
    const before = seen.length;
    await this.walker.goOn();
    for (const { id } of seen.slice(before)) this.#shown.add(id);
    this.#judgeFreshness(begun);
    await Bun.sleep(PAUSE_MS);
  }

  /** Judges a walk that began at a time, by the monotonic clock, and has come to its end. */
  #judgeFreshness(begun: number): void {
    const { acknowledged } = this.#history;
    this.#awaited = [...this.#awaited, ...acknowledged.slice(this.#known)].filter(
      ({ id }) => !this.#shown.has(id),
    );
    this.#known = acknowledged.length;
    for (const { at } of this.#awaited) this.#history.staleMs = Math.max(this.#history.staleMs, begun - at);
  }
}

async function inTime(answer: Promise<Response>): Promise<Response> {
  const { promise: hangs, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(() => reject(new Error(`no answer within ${HANGS_MS} ms`)), HANGS_MS);
  try {
    return await Promise.race([answer, hangs]);
  } finally {
    clearTimeout(timer);
  }
}
