import type { Delivery } from "./delivery.ts";

/** What a receiver has done, as it shows it. */
export interface Acts {
  /** How often it acted on a delivery, or how many calls it made for it. */
  count(delivery: Delivery): number;
  /** Whether calls are counted: one act may take several. */
  readonly areCalls: boolean;
  /** The ids of animals that it holds, as it writes them; `undefined` if it shows none. */
  readonly animals: readonly string[] | undefined;
  /** The status that it holds of an animal, if it shows one. */
  status(animal: bigint): string | undefined;
}

/** Where a receiver shows what it has done. */
export interface Witness {
  /** @throws Error whose message says why it cannot be read */
  read(): Promise<Acts>;
}
