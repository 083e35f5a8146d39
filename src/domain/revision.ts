/**
 * A version of the store's contents. A value that was read after a revision was taken stays valid until the number that
 * invalidates it is greater in a later revision.
 */
export interface Revision {
  /**
   * Counts the servers that this process has used, one after the other: a failover starts a new epoch. A promoted standby
   * may lack the old primary's last changes, so the numbers of two epochs cannot be compared. A server that goes on from an
   * earlier state of its store counts as another one.
   */
  readonly epoch: number;
  /** Grows with every change of animals or orders, appended animals included. */
  readonly append: number;
  /**
   * Grows with every change of orders, and with every change of animals except an append: an animal was changed or removed,
   * or added with an id that is not the highest. So an animal, and every page but the last, stay valid while animals are
   * created.
   */
  readonly rewrite: number;
  /** Grows with every change of the API keys. */
  readonly keys: number;
}

/** The kind of change that invalidates a value. Every rewrite also counts as an append. */
export type InvalidatedBy = "append" | "rewrite";

/** Whether a value that was read at revision `asOf` is still valid at revision `latest`. */
export function isValidAt(asOf: Revision, latest: Revision, invalidatedBy: InvalidatedBy | "keys"): boolean {
  return asOf.epoch === latest.epoch
    ? asOf[invalidatedBy] >= latest[invalidatedBy]
    : asOf.epoch > latest.epoch;
}
