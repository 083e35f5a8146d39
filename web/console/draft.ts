import { type AddAttempt, newAttempt } from "./add-attempt.ts";

/** What a person has typed of a new animal. */
export interface Draft {
  readonly name: string;
  readonly categoryId: string;
  readonly status: string;
  readonly attempt: AddAttempt;
}

/** A place for the draft, outside of the form. */
export interface KeptDraft {
  current: Draft | undefined;
}

export function emptyDraft(): Draft {
  return { name: "", categoryId: "", status: "available", attempt: newAttempt() };
}

/** A number as JSON writes it. */
const JSON_NUMBER = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/;

/** A draft as JSON. Digits are copied, since JavaScript's numbers would round them. Empty fields are left out. */
export function bodyOf({ name, categoryId, status }: Pick<Draft, "name" | "categoryId" | "status">): string {
  const category = categoryId.trim();
  const members = [
    ...(name === "" ? [] : [`"name":${JSON.stringify(name)}`]),
    ...(category === ""
      ? []
      : [`"categoryId":${JSON_NUMBER.test(category) ? category : JSON.stringify(category)}`]),
    `"status":${JSON.stringify(status)}`,
  ];
  return `{${members.join(",")}}`;
}
