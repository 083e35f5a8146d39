import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { ask, compare } from "./ask.ts";
import type { Call } from "./call.ts";
import type { Context } from "./experiments/experiment.ts";
import type { Load } from "./load/load.ts";
import type { Answer, RunningSide, Side } from "./side.ts";

/** A side that runs, and has shown that it answers as it should. */
export class Contestant {
  readonly side: Side;
  readonly running: RunningSide;
  /** How many animals it must hold, and how many it may. */
  #least: number;
  #most: number;

  constructor(side: Side, running: RunningSide, animals: number) {
    this.side = side;
    this.running = running;
    this.#least = animals;
    this.#most = animals;
  }

  /** Takes note of animals that were added. */
  count({ least, most }: Load["created"]): void {
    this.#least += least;
    this.#most += most;
  }

  /** @throws where an animal whose creation was acknowledged is not stored, or one is that nobody sent */
  async checkStored(): Promise<void> {
    const stored = await this.running.stored?.();
    if (stored === undefined || (stored >= this.#least && stored <= this.#most)) return;
    throw new Error(
      `${this.side.name} stores ${stored} animals; it must hold at least ${this.#least} and at most ${this.#most}`,
    );
  }
}

export interface Contest {
  /** Ours first: it gives the model. */
  readonly sides: readonly [Side, ...Side[]];
  readonly animals: number;
  /** One call of each kind that will be sent. */
  kinds(side: RunningSide): readonly Call[];
}

export interface Contestants {
  readonly all: readonly Contestant[];
  /** Who is not among them, and why. */
  readonly absent: string[];
}

/**
 * Starts the sides, each on its own stock, and sees that they answer alike. A peer that cannot take part is
 * left out, and the reason told; for ours and the limits it is an error.
 */
export async function startContestants(
  { sides, animals, kinds }: Contest,
  { folder, shared, peers, tell }: Context,
  stack: AsyncDisposableStack,
): Promise<Contestants> {
  const all: Contestant[] = [];
  const absent: string[] = [];
  let models: readonly Answer[] = [];
  for (const side of sides) {
    if (side.kind === "peer" && !peers) continue;
    const reason = side.unavailable?.();
    if (reason !== undefined) {
      absent.push(`${side.name}: ${reason}.`);
      continue;
    }
    const own = join(folder, side.name.replaceAll(/\W+/g, "-"));
    mkdirSync(own, { recursive: true });
    let running: RunningSide | undefined;
    try {
      running = await side.start({ folder: own, animals, models, shared });
      const contestant = new Contestant(side, running, animals);
      const answers = await check(contestant, kinds(running), models);
      if (all.length === 0) models = answers;
      all.push(contestant);
      stack.use(running);
    } catch (error) {
      await running?.[Symbol.asyncDispose]();
      if (side.kind !== "peer") throw error;
      tell(`${side.name} is left out: ${error}`);
      absent.push(`${(error as Error).message.split("\n")[0]}`);
    }
  }
  return { all, absent };
}

/** @throws where a side does not answer as its models say, or takes a key that nobody has */
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
    if (status !== 401) throw new Error(`${side.name} answers ${status} to a key that it cannot know`);
  }
  return answers;
}

/** In each round another goes first, so that none always follows the same. */
export function rotate<Item>(items: readonly Item[], by: number): Item[] {
  const start = by % items.length;
  return [...items.slice(start), ...items.slice(0, start)];
}
