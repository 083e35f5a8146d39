import type { SearchEntry } from "../build/search-index.ts";

export interface Finding {
  readonly entry: SearchEntry;
  /** A piece of its text around the first word of the query. */
  readonly excerpt: string;
}

const FINDINGS_MAX = 20;
/** The score of a query that equals a title, added to the score of each word. */
const WHOLE_TITLE = 100;
const BEFORE = 40;
const LENGTH = 140;

/** The entries that contain every word of a query, the best first. */
export function find(entries: readonly SearchEntry[], query: string): Finding[] {
  const words = wordsOf(query);
  if (words.length === 0) return [];
  return entries
    .map((entry) => ({ entry, score: scoreOf(entry, words) }))
    .filter(({ score }) => score > 0)
    .sort((one, other) => other.score - one.score)
    .slice(0, FINDINGS_MAX)
    .map(({ entry }) => ({ entry, excerpt: excerptOf(entry.text, words) }));
}

export function wordsOf(query: string): string[] {
  return query.toLowerCase().split(/\s+/).filter(Boolean);
}

function scoreOf({ title, kind, text }: SearchEntry, words: readonly string[]): number {
  const inTitle = title.toLowerCase();
  const inKind = kind.toLowerCase();
  const inText = text.toLowerCase();
  let score = inTitle === words.join(" ") ? WHOLE_TITLE : 0;
  for (const word of words) {
    const found =
      (inTitle === word ? 20 : 0) +
      (inTitle.startsWith(word) ? 8 : inTitle.includes(word) ? 5 : 0) +
      (inKind.includes(word) ? 3 : 0) +
      (inText.includes(word) ? 1 : 0);
    if (found === 0) return 0;
    score += found;
  }
  return score;
}

function excerptOf(text: string, words: readonly string[]): string {
  const at = text.toLowerCase().indexOf(words[0] ?? "");
  const begin = Math.max(0, at - BEFORE);
  const excerpt = text.slice(begin, begin + LENGTH);
  return `${begin > 0 ? "…" : ""}${excerpt}${begin + LENGTH < text.length ? "…" : ""}`;
}
