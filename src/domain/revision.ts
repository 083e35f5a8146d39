/**
 * How far what is stored has come, when a store was asked. What was read after a revision was taken holds for as long
 * as the number that it rests on is not greater in a later revision.
 */
export interface Revision {
  /**
   * Which of the servers that were found, one after the other, the numbers come from. A standby that took over may
   * lack what its primary had last, so numbers of two epochs say nothing about each other.
   */
  readonly epoch: number;
  /** Grows with every change of the animals, those that are added included. */
  readonly stock: number;
  /**
   * Grows when an animal that was there was changed or is gone, or when one came that does not stand behind all
   * others. Animals that are created leave it as it is: an animal by its id, and a page that others follow, rest on it.
   */
  readonly past: number;
  /** Grows with every change of the API keys. */
  readonly keys: number;
}

/** What something that was read of the stock rests on. */
export type Basis = "stock" | "past";

/** Whether what was read under a revision still holds under another one, as far as it rests on `basis`. */
export function holdsUnder(asOf: Revision, latest: Revision, basis: Basis | "keys"): boolean {
  return asOf.epoch === latest.epoch ? asOf[basis] >= latest[basis] : asOf.epoch > latest.epoch;
}
