import { type Client, NoResponse } from "../../contract/client.ts";
import { Random } from "../random.ts";
import { History } from "./history.ts";
import { Knowledge } from "./knowledge.ts";
import { Market } from "./market.ts";
import { RandomBuyer } from "./random-buyer.ts";
import { RandomClient } from "./random-client.ts";

/** Above any number of clients. */
const CLIENTS_MAX = 1024;

interface WorkloadOptions {
  /** One client for each instance that they may turn to. */
  readonly clients: readonly Client[];
  /** Distinguishes the names and keys of these clients from those of others on the same store. */
  readonly name: string;
  readonly seed: number;
  /** The part of the steps in which a client buys animals: 0 where the service takes no orders. */
  readonly buying: number;
  /** The part of the writes sent once that have an `Idempotency-Key`, 0.3 by default. */
  readonly keyed?: number;
  /** Asked before each step. */
  readonly enough: () => boolean;
  readonly onStep?: () => void;
  /** Whether instances may be killed: then a client ends when it gets no response. */
  readonly mayVanish?: boolean;
}

/** The random clients of a check on one store, and everything that they know of it. */
export class Workload {
  readonly history = new History();
  readonly knowledge = new Knowledge(this.history);
  readonly #market = new Market();

  /**
   * Lets several clients act at the same time until there was enough; the first violation ends them all.
   *
   * @throws BrokenPromise
   */
  async run(size: number, options: WorkloadOptions): Promise<void> {
    const { seed, buying, enough, onStep = () => {}, mayVanish = false } = options;
    let failed = false;
    const work = async (id: number) => {
      const { client, buyer } = this.#actors(options, `${id}`);
      for (let turn = 0; !failed && !enough(); turn++) {
        // Each turn has its own random source, so a seed repeats the same plan whichever client is faster.
        const random = new Random(seed, turn * CLIENTS_MAX + id);
        await (random.chance(buying) ? buyer : client).step(random, turn);
        onStep();
      }
    };
    const end = (error: unknown) => {
      if (mayVanish && error instanceof NoResponse) return this.knowledge.count("cut off");
      failed = true;
      throw error;
    };
    await allEnded(Array.from({ length: size }, (_, id) => work(id).catch(end)));
  }

  /** Repeats each write with an `Idempotency-Key` that got no response: it must take effect once, whatever happened. */
  async retryUnanswered(options: Pick<WorkloadOptions, "clients" | "name" | "seed">): Promise<void> {
    const { client, buyer } = this.#actors(options, "again");
    const random = new Random(options.seed, CLIENTS_MAX - 1);
    await client.retryUnanswered(random);
    await buyer.retryUnanswered(random);
  }

  #actors({ clients, name, keyed = 0.3 }: Pick<WorkloadOptions, "clients" | "name" | "keyed">, id: string) {
    const own = `.${name}.${id}`;
    return {
      client: new RandomClient(clients, this.knowledge, own, keyed),
      buyer: new RandomBuyer(clients, this.knowledge, `order${own}`, keyed, this.#market),
    };
  }
}

/** Waits until several tasks have ended, also if one fails; then throws the first failure. */
export async function allEnded(tasks: readonly Promise<unknown>[]): Promise<void> {
  for (const result of await Promise.allSettled(tasks)) if (result.status === "rejected") throw result.reason;
}
