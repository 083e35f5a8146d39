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
