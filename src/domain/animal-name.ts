/** The longest name, in Unicode code points. */
export const NAME_MAX = 255;

export const NAME_RULE = `must be a string of 1 to ${NAME_MAX} characters that is not only white space`;

const NOT_WHITE_SPACE = /\P{White_Space}/u;

/** What is wrong with the name of an animal; `undefined` if nothing is. */
export function nameProblem(name: string): string | undefined {
  // A code point takes at most two UTF-16 units, so only names of a doubtful length need counting.
  if (name.length > NAME_MAX && codePointLength(name) > NAME_MAX) return NAME_RULE;
  if (!name.isWellFormed()) return "must not contain an unpaired surrogate";
  if (name.includes("\0")) return "must not contain the character U+0000";
  return NOT_WHITE_SPACE.test(name) ? undefined : NAME_RULE;
}

function codePointLength(text: string): number {
  let length = 0;
  for (const _ of text) length++;
  return length;
}
