import { type AddAttempt, newAttempt } from "./add-attempt.ts";
import { FIELDS, MEMBER_NAMES, type MemberName } from "./members.ts";
import { numberOrText } from "./number-or-text.ts";

/** What a person has typed of a new animal. */
export interface Draft extends Readonly<Record<MemberName, string>> {
  readonly attempt: AddAttempt;
}

/** A place for the draft, outside of the form. */
export interface KeptDraft {
  current: Draft | undefined;
}

export function emptyDraft(): Draft {
  const members = MEMBER_NAMES.map((name) => [name, FIELDS[name].values?.[0] ?? ""]);
  return { ...(Object.fromEntries(members) as Record<MemberName, string>), attempt: newAttempt() };
}

/** A draft as JSON. Empty fields are left out. */
export function bodyOf(draft: Readonly<Record<MemberName, string>>): string {
  const members = MEMBER_NAMES.flatMap((name) => {
    const text = FIELDS[name].isInteger ? draft[name].trim() : draft[name];
    if (text === "") return [];
    return [`"${name}":${FIELDS[name].isInteger ? numberOrText(text) : JSON.stringify(text)}`];
  });
  return `{${members.join(",")}}`;
}
