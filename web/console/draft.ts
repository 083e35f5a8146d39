import { type AddAttempt, newAttempt } from "./add-attempt.ts";
import { numberOrText } from "./number-or-text.ts";

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

/** A draft as JSON. Empty fields are left out. */
export function bodyOf({ name, categoryId, status }: Pick<Draft, "name" | "categoryId" | "status">): string {
  const category = categoryId.trim();
  const members = [
    ...(name === "" ? [] : [`"name":${JSON.stringify(name)}`]),
    ...(category === "" ? [] : [`"categoryId":${numberOrText(category)}`]),
    `"status":${JSON.stringify(status)}`,
  ];
  return `{${members.join(",")}}`;
}
