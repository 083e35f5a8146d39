/** A text that an item may have besides. */
export interface OptionalText {
  isValid(value: string): boolean;
  /** Values that come back as they were sent. */
  readonly accepted: readonly string[];
  /** JSON values that are refused. */
  readonly refused: readonly string[];
}

/**
 * A rule of each member that the items of a kind may lack. A member that is no text does not compile: what judges it, in this
 * file and in those that import it, must learn its type first.
 */
export type RulesOf<Item, Later extends keyof Item> = {
  readonly [Member in Later]-?: NonNullable<Item[Member]> extends string ? OptionalText : never;
};

/** The texts that the items of a kind may lack, by their names. */
export type OptionalTexts<Member extends string = string> = readonly (readonly [
  member: Member,
  OptionalText,
])[];

/** Whether a value is a valid one of a member that an item may lack. */
export function isOptionalText(texts: OptionalTexts, member: string, value: unknown): boolean {
  const optional = texts.find(([each]) => each === member)?.[1];
  return typeof value === "string" && (optional?.isValid(value) ?? false);
}

/** The members that an item has though it may lack them. */
export function textsOf(texts: OptionalTexts, item: object): (readonly [member: string, value: string])[] {
  const values: Readonly<Record<string, string | undefined>> = { ...item } as never;
  return texts.flatMap(([member]) => {
    const value = values[member];
    return value === undefined ? [] : [[member, value] as const];
  });
}

/**
 * A valid text of each member that an item may lack.
 *
 * @param at which of the accepted texts: the first, or the last
 */
export function aTextOfEach(
  texts: OptionalTexts,
  at: 0 | -1 = 0,
): Readonly<Record<string, string | undefined>> {
  return Object.fromEntries(texts.map(([member, { accepted }]) => [member, accepted.at(at)]));
}

/** A text as JSON in ASCII, with every character visible. */
export function escapeAll(text: string): string {
  return JSON.stringify(text).replace(
    /[^\x20-\x7e]/g,
    (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}
