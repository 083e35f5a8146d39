/**
 * How far the store has come. What was read after a revision was taken is valid for as long as the number that
 * invalidates it is not greater in a later revision.
 */
export interface Revision {
  /**
   * Which of the servers that were found, one after the other, the numbers come from. A standby that took over may lack
   * its primary's last changes, so the numbers of two epochs cannot be compared.
   */
  readonly epoch: number;
  /** Grows with every change of animals or orders, appended animals included. */
  readonly append: number;
  /**
   * Grows with every change of orders, and with every change of animals except an append: an animal that was changed or
   * removed, or added with an id that is not the highest. So an animal, and a page that is followed by others, stay
   * valid while animals are created.
   */
  readonly rewrite: number;
  /** Grows with every change of the API keys. */
  readonly keys: number;
}

/** The least change that invalidates what was read. Every rewrite also counts as an append. */
export type InvalidatedBy = "append" | "rewrite";

/** Whether what was read under a revision is still valid under another one. */
export function holdsUnder(asOf: Revision, latest: Revision, invalidatedBy: InvalidatedBy | "keys"): boolean {
  return asOf.epoch === latest.epoch
    ? asOf[invalidatedBy] >= latest[invalidatedBy]
    : asOf.epoch > latest.epoch;
}
