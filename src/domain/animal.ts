// The schemas are in `animal-schemas.ts`: most commands validate nothing, and start faster without zod.

export const STATUSES = ["available", "pending", "sold"] as const;

/** An animal's availability. */
export type Status = (typeof STATUSES)[number];

/** An animal to add. */
export interface NewAnimal {
  readonly name: string;
  readonly categoryId: bigint;
  readonly status: Status;
}

/** An animal in stock. */
export interface Animal extends NewAnimal {
  readonly id: bigint;
}

/** An animal as a store reads it. Integers that a number holds exactly may be numbers, which are faster than bigints. */
export interface ReadAnimal {
  readonly id: bigint | number;
  readonly name: string;
  readonly categoryId: bigint | number;
  readonly status: Status;
}
