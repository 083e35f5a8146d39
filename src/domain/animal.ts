// The schemas are in `animal-schemas.ts`: most commands validate nothing, and start faster without zod.

export const STATUSES = ["available", "pending", "sold"] as const;

/** An animal's availability. */
export type Status = (typeof STATUSES)[number];

/**
 * An animal to add. A new member does not compile until `ANIMAL_MEMBERS`, the schemas and the stores' tables declare it too;
 * all else follows from these. A member that an animal may lack is declared as `member?: string | undefined`.
 */
export interface NewAnimal {
  readonly name: string;
  readonly categoryId: bigint;
  readonly status: Status;
}

/** What is to be known of a member wherever animals are treated member by member, such as in files and flags. */
export interface Member {
  readonly type: "integer" | "text";
  /** Whether a new animal must have it. */
  readonly required?: true;
  /** All values that it may have. */
  readonly values?: readonly string[];
}

/** In the order of files and of stored events. The order is part of their format, so a new member comes last. */
export const ANIMAL_MEMBERS: Readonly<Record<keyof NewAnimal, Member>> = {
  name: { type: "text", required: true },
  categoryId: { type: "integer", required: true },
  status: { type: "text", values: STATUSES },
};

/** An animal in stock. */
export interface Animal extends NewAnimal {
  readonly id: bigint;
}

/** An animal as a store reads it. Integers that a number holds exactly may be numbers, which are faster than bigints. */
export type ReadAnimal = {
  readonly [Member in keyof Animal]: Animal[Member] extends bigint ? bigint | number : Animal[Member];
};
