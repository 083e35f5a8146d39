/** A word of fewer letters is too short to tell a typing error from another word. */
const LETTERS_MIN = 5;
/** From this length on, two letters may be wrong. */
const LETTERS_LONG = 8;

/** Whether two words differ as a typing error makes them differ: after the first letter, by one, or two of a long word. */
export function isNearly(word: string, other: string): boolean {
  if (word.length < LETTERS_MIN || word[0] !== other[0]) return false;
  const most = word.length >= LETTERS_LONG ? 2 : 1;
  return Math.abs(word.length - other.length) <= most && distance(word, other) <= most;
}

/** How many letters must be added, left out, replaced or swapped with their neighbour (Damerau and Levenshtein). */
function distance(one: string, other: string): number {
  let before: number[] = [];
  let row = Array.from({ length: other.length + 1 }, (_, at) => at);
  for (let i = 1; i <= one.length; i++) {
    const next = [i];
    for (let j = 1; j <= other.length; j++) {
      const isSame = one[i - 1] === other[j - 1];
      const isSwap = i > 1 && j > 1 && one[i - 1] === other[j - 2] && one[i - 2] === other[j - 1];
      next[j] = Math.min(
        (row[j] ?? 0) + 1,
        (next[j - 1] ?? 0) + 1,
        (row[j - 1] ?? 0) + (isSame ? 0 : 1),
        isSwap ? (before[j - 2] ?? 0) + 1 : Number.POSITIVE_INFINITY,
      );
    }
    before = row;
    row = next;
  }
  return row[other.length] ?? 0;
}
