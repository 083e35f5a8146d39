import { type InitialState, makeState } from "../../../sandbox/initial-state.ts";
import { type Beginning, stock } from "../../../sandbox/stock.ts";

/** Ids begin above a number below this: short enough to be read in evidence. */
const LAST_ID_MAX = 100_000;
/** From here on a double holds only each 512th integer. */
const LONG = 2n ** 62n;

/** The examples with ids of their own, and with a `categoryId` of Max that nobody knows who has not read it. */
export class PlacedExamples implements InitialState {
  readonly placed = LONG + BigInt(randomBelow(2 ** 31)) * 2n ** 31n + BigInt(randomBelow(2 ** 30)) * 2n + 1n;
  readonly #beginning: Beginning = {
    lastAnimalId: BigInt(randomBelow(LAST_ID_MAX)),
    lastOrderId: BigInt(randomBelow(LAST_ID_MAX)),
    longest: this.placed,
  };

  get(): Promise<Uint8Array> {
    return makeState(undefined, (store) => stock(store, this.#beginning), this.#beginning);
  }
}

function randomBelow(limit: number): number {
  return Math.floor(Math.random() * limit);
}
