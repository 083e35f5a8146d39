import type { Animal, AnimalInput } from "../../client/contract.ts";
import { ANIMAL_STATUSES } from "./statuses.ts";

/**
 * What people call the members of an animal, in the order of forms and files: those of `animal-store export`, so a new
 * member comes last.
 */
export const LABELS: { readonly [Name in keyof AnimalInput]-?: string } = {
  name: "Name",
  categoryId: "Category",
  status: "Status",
};

/** What a person may type of a member, in a form or a file. */
interface Field {
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

/** Apart from the labels, since a visit begins without forms: they come with the script of the dialogs. */
export const FIELDS: { readonly [Name in keyof AnimalInput]-?: Field & TypeOf<AnimalInput[Name]> } = {
  name: {
    hint: "1 to 255 characters, kept exactly as you type it.",
    whenEmpty: "Enter a name.",
    longest: 255,
  },
  categoryId: {
    hint: "The category's id, a whole number.",
    whenEmpty: "Enter a whole number, the category's id.",
    isInteger: true,
  },
  status: { values: ANIMAL_STATUSES },
};

export type MemberName = keyof AnimalInput;
export const MEMBER_NAMES = Object.keys(LABELS) as readonly MemberName[];

/** The members that a table shows as they are. The others have a form of their own there. */
export const PLAIN_MEMBERS = MEMBER_NAMES.filter((name) => !["name", "categoryId", "status"].includes(name));

/** A member of an animal as a text; empty if the animal lacks it. */
export function textOf(animal: Animal, name: MemberName): string {
  return String(animal[name] ?? "");
}
