import { folded } from "../model/folded.ts";
import type { SearchEntry } from "../model/search-entry.ts";
import { synonymsOf } from "./synonyms.ts";
import { isNearly } from "./typing-errors.ts";

export interface Finding {
  readonly entry: SearchEntry;
  /** A piece of its text around the first word that was found there. */
  readonly excerpt: string;
  /** What was found for the words of the query, to mark it. */
  readonly marks: readonly string[];
  /** The word of the query that it lacks. */
  readonly missing?: string | undefined;
}

/** What one word of the query found in an entry. */
interface Hit {
  readonly score: number;
  readonly mark: string;
}

const FINDINGS_MAX = 20;
/** The score of a query that equals a title, added to the score of each word. */
const WHOLE_TITLE = 100;
/** The share of a word's score that a synonym gets, and a word with a typing error. */
const SYNONYM = 0.6;
const NEARLY = 0.4;
/** Of places that fit equally well, an operation comes first, then a page, then one of its sections. */
const OPERATION = 4;
const PAGE = 2;
const BEFORE = 40;
const LENGTH = 140;

/** Words of a question that say nothing of its subject. */
const SMALL_WORDS = new Set(
  "a an and are behind can do does for from how i in is it my of on or the to what with".split(" "),
);

/**
 * The entries that contain every word of a query, a synonym of it or nearly the same word, the best first. If there is
 * none, those that lack one of its words: who asks for a "reverse proxy" means what is said of a proxy.
 */
export function find(entries: readonly SearchEntry[], query: string): Finding[] {
  const asked = folded(query).split(/\s+/).filter(Boolean);
  const subject = asked.filter((word) => !SMALL_WORDS.has(word));
  const words = subject.length > 0 ? subject : asked;
  if (words.length === 0) return [];
  const found = findingsOf(entries, asked.join(" "), words, words.length);
  return found.length > 0 || words.length === 1
    ? found
    : findingsOf(entries, asked.join(" "), words, words.length - 1);
}

function findingsOf(
  entries: readonly SearchEntry[],
  query: string,
  words: readonly string[],
  hitsMin: number,
): Finding[] {
  return entries
    .flatMap((entry) => {
      const texts = textsOf(entry);
      const found = words.map((word) => hitOf(word, texts));
      const hits = found.filter((hit) => hit !== undefined);
      if (hits.length < hitsMin) return [];
      const missing = words.find((_, at) => found[at] === undefined);
      const marks = hits.map(({ mark }) => mark);
      const sum = hits.reduce((total, { score }) => total + score, 0);
      const whole = texts.title === query ? WHOLE_TITLE : 0;
      return [{ entry, marks, missing, score: sum + whole + texts.bonus }];
    })
    .sort((one, other) => other.score - one.score)
    .slice(0, FINDINGS_MAX)
    .map(({ entry, marks, missing }) => ({ entry, marks, missing, excerpt: excerptOf(entry.text, marks) }));
}

interface Texts {
  readonly title: string;
  readonly kind: string;
  readonly text: string;
  /** The words of the title and of what it belongs to. */
  readonly words: readonly string[];
  readonly allWords: ReadonlySet<string>;
  readonly bonus: number;
}

/** An entry in lower case, once: a query asks for it with each letter that is typed. */
const known = new WeakMap<SearchEntry, Texts>();

function textsOf(entry: SearchEntry): Texts {
  const before = known.get(entry);
  if (before) return before;
  const title = entry.title.toLowerCase();
  // `createPet` is also found as "create pet".
  const kind = `${entry.kind} ${entry.kind.replaceAll(/(?<=[a-z])[A-Z]/g, " $&")}`.toLowerCase();
  const text = entry.text.toLowerCase();
  const words = wordsOf(`${title} ${kind}`);
  const texts = {
    title,
    kind,
    text,
    words,
    allWords: new Set([...words, ...wordsOf(text)]),
    bonus: isOperation(entry.kind) ? OPERATION : entry.to.includes("#") ? 0 : PAGE,
  };
  known.set(entry, texts);
  return texts;
}

/** Whether the kind of an entry is that of an operation, such as `GET /pets listPets`. */
export function isOperation(kind: string): boolean {
  return /^[A-Z]+ \//.test(kind);
}

function wordsOf(text: string): string[] {
  return text.split(/[^\p{L}\p{N}]+/u).filter(Boolean);
}

/** The best that a word finds; `undefined` if it finds nothing. */
function hitOf(word: string, texts: Texts): Hit | undefined {
  // A number is found as a whole: "31" is not in "1,731".
  const own = (/^\d+$/.test(word) ? wordScoreOf : scoreOf)(word, texts);
  const others = synonymsOf(word).map((each) => ({ mark: each, score: SYNONYM * wordScoreOf(each, texts) }));
  const [best] = [{ mark: word, score: own }, ...others].sort((one, other) => other.score - one.score);
  if (best && best.score > 0) return best;
  const nearly = texts.words.find((each) => isNearly(word, each));
  return nearly ? { mark: nearly, score: NEARLY * scoreOf(nearly, texts) } : undefined;
}

/** How well a word fits that stands anywhere, also as a part of another. */
function scoreOf(word: string, { title, kind, text }: Texts): number {
  return (
    (title === word ? 20 : 0) +
    (title.startsWith(word) ? 8 : title.includes(` ${word}`) ? 6 : title.includes(word) ? 4 : 0) +
    (kind.includes(word) ? 3 : 0) +
    (text.includes(word) ? 1 : 0)
  );
}

/** A synonym counts as a whole word: "new" is not in "renewed". */
function wordScoreOf(word: string, texts: Texts): number {
  return texts.allWords.has(word) ? scoreOf(word, texts) : 0;
}

function excerptOf(text: string, marks: readonly string[]): string {
  const lower = text.toLowerCase();
  const at = Math.max(
    0,
    ...marks
      .map((mark) => lower.indexOf(mark))
      .filter((at) => at >= 0)
      .slice(0, 1),
  );
  // Whole words, unless a word is longer than the piece.
  const space = text.indexOf(" ", at - BEFORE);
  const begin = at <= BEFORE ? 0 : space >= 0 && space < at ? space + 1 : at - BEFORE;
  const lastSpace = text.lastIndexOf(" ", begin + LENGTH);
  const isWhole = begin + LENGTH >= text.length;
  const end = isWhole ? text.length : lastSpace > at ? lastSpace : begin + LENGTH;
  return `${begin > 0 ? "… " : ""}${text.slice(begin, end)}${isWhole ? "" : " …"}`;
}
