import type { Animal, AnimalInput } from "../../client/contract.ts";
import { ANIMAL_STATUSES } from "./statuses.ts";

/** A member of an animal, as people see and type it. */
interface Member {
  readonly label: string;
  readonly hint?: string;
  /** What a person is told who left the field empty; a member without it may be left out. */
  readonly whenEmpty?: string;
  readonly isInteger?: true;
  /** The longest text, in characters (Unicode code points). */
  readonly longest?: number;
  /** All values that it may have. */
  readonly values?: readonly string[];
}

type TypeOf<Value> =
  NonNullable<Value> extends bigint | number ? { readonly isInteger: true } : { readonly isInteger?: never };

/** In the order of forms and files: those of `animal-store export`, so a new member comes last. */
export const MEMBERS: { readonly [Name in keyof AnimalInput]-?: Member & TypeOf<AnimalInput[Name]> } = {
  name: {
    label: "Name",
    hint: "1 to 255 characters, kept exactly as you type it.",
    whenEmpty: "Enter a name.",
    longest: 255,
  },
  categoryId: {
    label: "Category",
    hint: "The category's id, a whole number.",
    whenEmpty: "Enter a whole number, the category's id.",
    isInteger: true,
  },
  status: { label: "Status", values: ANIMAL_STATUSES },
};

export type MemberName = keyof AnimalInput;
export const MEMBER_NAMES = Object.keys(MEMBERS) as readonly MemberName[];

/** The members that a table shows as they are. The others have a form of their own there. */
export const PLAIN_MEMBERS = MEMBER_NAMES.filter((name) => !["name", "categoryId", "status"].includes(name));

/** A member of an animal as a text; empty if the animal lacks it. */
export function textOf(animal: Animal, name: MemberName): string {
  return String(animal[name] ?? "");
}
