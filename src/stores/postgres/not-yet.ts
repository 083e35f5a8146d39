/**
 * Why a write has no outcome yet: another transaction holds the row of its animal or order (`held`), or another write of the
 * same batch comes first (`again`).
 */
export type NotYet = "held" | "again";
