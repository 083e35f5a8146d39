// The schemas are in `animal-schemas.ts`: most commands validate nothing, and start faster without zod.

export const STATUSES = ["available", "pending", "sold"] as const;

/** An animal's availability. */
export type Status = (typeof STATUSES)[number];

/** What an animal has whose status is left out. */
export const DEFAULT_STATUS: Status = "available";

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
  /** What the document, a sandbox and sample animals show of it. */
  readonly example: bigint | string;
  /** Whether a new animal must have it. */
  readonly required?: true;
  /** All values that it may have. */
  readonly values?: readonly string[];
}

/** A member that an animal may lack says so, and one of integers has an integer for its example. */
type MemberOf<Name extends keyof NewAnimal> = Member &
  (undefined extends NewAnimal[Name] ? { readonly isOptional: true } : { readonly isOptional?: never }) &
  (NonNullable<NewAnimal[Name]> extends bigint
    ? { readonly type: "integer"; readonly example: bigint }
    : { readonly type: "text"; readonly example: string });

/** In the order of files and of stored events. The order is part of their format, so a new member comes last. */
export const ANIMAL_MEMBERS: { readonly [Name in keyof NewAnimal]-?: MemberOf<Name> } = {
  name: { type: "text", example: "Rex", required: true },
  categoryId: { type: "integer", example: 12n, required: true },
  status: { type: "text", example: "available", values: STATUSES },
};

/** An animal in stock. */
export interface Animal extends NewAnimal {
  readonly id: bigint;
}

/** What a client says of an animal, with every member, in the document's examples. */
export const EXAMPLE_NEW_ANIMAL: NewAnimal = examplesOf(() => true);

/** An animal with every member. */
export const EXAMPLE_ANIMAL: Animal = { id: 1n, ...EXAMPLE_NEW_ANIMAL };

/** The members that an animal may lack, each with its example. */
export const OPTIONAL_EXAMPLES: Partial<NewAnimal> = examplesOf(({ isOptional }) => isOptional === true);

function examplesOf(isWanted: (member: { readonly isOptional?: true }) => boolean): NewAnimal {
  const wanted = Object.entries(ANIMAL_MEMBERS).filter(([, member]) => isWanted(member));
  return Object.fromEntries(wanted.map(([name, { example }]) => [name, example])) as never;
}

/** An animal as a store reads it. Integers that a number holds exactly may be numbers, which are faster than bigints. */
export type ReadAnimal = {
  readonly [Member in keyof Animal]: Animal[Member] extends bigint ? bigint | number : Animal[Member];
};
