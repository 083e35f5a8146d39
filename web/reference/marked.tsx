/** @jsxImportSource preact */
import { folded } from "../model/folded.ts";

/** A text with the letters marked that the words of a query have found, also inside other words. */
export function Marked({ text, words }: { text: string; words: readonly string[] }) {
  return <>{partsOf(text, words).map((part, at) => (at % 2 === 1 ? <mark key={at}>{part}</mark> : part))}</>;
}

/** The parts of a text, by turns without a mark and with a mark. A letter is marked whole, with its accents. */
function partsOf(text: string, words: readonly string[]): readonly string[] {
  const sought = words.map(folded).filter(Boolean).map(escaped);
  if (sought.length === 0) return [text];
  const letters = [...new Intl.Segmenter().segment(text)].map(({ segment }) => segment);
  /** Where each letter begins in the folded text: folded, it may have more characters, or none. */
  const begins: number[] = [];
  let whole = "";
  for (const letter of letters) {
    begins.push(whole.length);
    whole += folded(letter);
  }
  const parts: string[] = [];
  let end = 0;
  for (const { 0: found, index } of whole.matchAll(new RegExp(sought.join("|"), "g"))) {
    const from = Math.max(
      end,
      begins.findLastIndex((begin) => begin <= index),
    );
    const after = begins.findIndex((begin) => begin >= index + found.length);
    const to = after < 0 ? letters.length : after;
    if (to <= from) continue;
    parts.push(letters.slice(end, from).join(""), letters.slice(from, to).join(""));
    end = to;
  }
  return [...parts, letters.slice(end).join("")];
}

/** A word as a pattern that matches it alone. `RegExp.escape` is missing before Chrome 136 and Safari 18.2. */
function escaped(word: string): string {
  return word.replaceAll(/[\\^$.*+?()[\]{}|]/g, "\\$&");
}
