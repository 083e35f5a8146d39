import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { ask, compare } from "./ask.ts";
import type { Call } from "./call.ts";
import type { Context } from "./experiments/experiment.ts";
import { startDelayProxy } from "./load/delay-proxy.ts";
import type { Load } from "./load/load.ts";
import type { Answer, RunningSide, Side } from "./side.ts";

/** A running side whose responses have been checked. */
export class Contestant {
  readonly side: Side;
  readonly running: RunningSide;
  /** How many animals it must hold, and the most that it may hold. */
  #least: number;
  #most: number;

  constructor(side: Side, running: RunningSide, animals: number) {
    this.side = side;
    this.running = running;
    this.#least = animals;
    this.#most = animals;
  }

  /** Counts animals that a run has added. */
  count({ least, most }: Load["created"]): void {
    this.#least += least;
    this.#most += most;
  }

  /** @throws when an acknowledged animal is not stored, or the store holds an animal that nobody sent */
  async checkStored(): Promise<void> {
    const stored = await this.running.stored?.();
    if (stored === undefined || (stored >= this.#least && stored <= this.#most)) return;
    throw new Error(
      `${this.side.name} stores ${stored} animals; it must hold at least ${this.#least} and at most ${this.#most}`,
    );
  }
}

interface Contest {
  /** Ours first: its responses are the model for the others. */
  readonly sides: readonly Side[];
  readonly animals: number;
  /** One call of each kind that the load will hold. */
  kinds(side: RunningSide): readonly Call[];
  /** More calls, for the sides whose responses must equal ours to the byte. */
  details?(side: RunningSide): readonly Call[];
}

interface Contestants {
  readonly all: readonly Contestant[];
  /** The names of the sides that were left out, and why. */
  readonly absent: string[];
}

/**
 * Starts the sides, each with its own animals, and checks that their responses agree. A peer that fails is left out with
 * the reason; a failure of ours, or of a native peer that is built, is an error.
 */
export async function startContestants(
  contest: Contest,
  context: Context,
  stack: AsyncDisposableStack,
): Promise<Contestants> {
  const { folder, shared, log } = context;
  const all: Contestant[] = [];
  const absent: string[] = [];
  let models: readonly Answer[] = [];
  for (const side of context.versions ?? contest.sides) {
    if (side.kind === "peer" && !context.peers) continue;
    const reason = side.unavailable?.();
    if (reason !== undefined) {
      absent.push(`${side.name}: ${reason}.`);
      continue;
    }
    const own = join(folder, side.name.replaceAll(/\W+/g, "-"));
    mkdirSync(own, { recursive: true });
    let running: RunningSide | undefined;
    try {
      running = await side.start({ folder: own, animals: contest.animals, shared });
      if (context.delay > 0) running = await behindProxy(running, context.delay);
      const contestant = new Contestant(side, running, contest.animals);
      const detailsFor = side.likeness === "bytes" ? contest.details : undefined;
      const calls = [...contest.kinds(running), ...(detailsFor?.(running) ?? [])];
      const answers = await check(contestant, calls, models);
      if (all.length === 0) models = answers;
      all.push(contestant);
      stack.use(running);
    } catch (error) {
      await running?.[Symbol.asyncDispose]();
      if (side.kind !== "peer") throw error;
      log(`${side.name} is left out: ${error}`);
      absent.push(`${(error as Error).message.split("\n")[0]}`);
    }
  }
  return { all, absent };
}

async function behindProxy(side: RunningSide, milliseconds: number): Promise<RunningSide> {
  const proxy = await startDelayProxy(side.address, milliseconds);
  return {
    ...side,
    address: proxy.address,
    async [Symbol.asyncDispose]() {
      await proxy.process[Symbol.asyncDispose]();
      await side[Symbol.asyncDispose]();
    },
  };
}

/** @throws when a response differs from its model, or a side accepts an unknown key */
async function check(
  contestant: Contestant,
  calls: readonly Call[],
  models: readonly Answer[],
): Promise<readonly Answer[]> {
  const { side, running } = contestant;
  const answers: Answer[] = [];
  for (const [index, call] of calls.entries()) {
    const answer = await ask(running.address, call);
    const created = call.method === "POST" ? 1 : 0;
    contestant.count({ least: created, most: created });
    const model = models[index];
    if (model) compare(side.name, answer, model, side.likeness);
    else if (answer.status >= 400) throw new Error(`${side.name} answers ${answer.status}: ${answer.body}`);
    answers.push(answer);
    if (!side.checksKeys) continue;
    const wrong = { ...call, headers: { ...call.headers, authorization: "Bearer nobody" } };
    const { status } = await ask(running.address, wrong);
    if (status !== 401) throw new Error(`${side.name} answers ${status} to an unknown key`);
  }
  return answers;
}

/** Starts each round with another item, so that no side always runs after the same neighbour. */
export function rotate<Item>(items: readonly Item[], by: number): Item[] {
  const start = by % items.length;
  return [...items.slice(start), ...items.slice(0, start)];
}
