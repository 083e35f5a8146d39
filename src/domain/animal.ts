// The schemas are in `animal-schemas.ts`: most commands validate nothing, and start faster without zod.

export const STATUSES = ["available", "pending", "sold"] as const;

/** An animal's availability. */
export type Status = (typeof STATUSES)[number];

/**
 * An animal to add. What treats an animal member by member `satisfies Record<keyof Animal, …>`, or is declared by a type
 * that has every key, so that a new member does not compile until each of these places treats it. A member that an animal
 * may lack is declared as `member?: string | undefined`.
 */
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
export type ReadAnimal = {
  readonly [Member in keyof Animal]: Animal[Member] extends bigint ? bigint | number : Animal[Member];
};
