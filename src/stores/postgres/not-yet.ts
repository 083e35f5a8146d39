/**
 * Why a write has no outcome yet: another transaction holds the row of its animal or order (`row_locked`), or another write
 * of the same batch comes first (`retry`).
 */
export type NotYet = "row_locked" | "retry";
