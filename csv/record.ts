const LINE_FEED = 0x0a;
const CARRIAGE_RETURN = 0x0d;
const QUOTE = 0x22;
const COMMA = 0x2c;

const STRAY_QUOTE = "has a quote in an unquoted field; put the field in quotes and double each quote in it";
const AFTER_QUOTE =
  "has something other than a comma after a closing quote; double each quote inside a field";
/** The block may end within the record. */
export const NOT_CLOSED = "opens a quote and never closes it";
const STRAY_RETURN = "has a carriage return outside quotes, which does not end a line by itself";

/** A record of RFC 4180. */
interface Split {
  readonly fields: readonly string[];
  /** Where the next record begins. */
  readonly end: number;
  /** How many lines it takes. */
  readonly lines: number;
}

/**
 * Splits the record that begins at `start`, or returns what is wrong with it. Most records have no quotes, and a plain split
 * is enough.
 */
export function splitRecord(text: string, start: number): Split | string {
  const feed = text.indexOf("\n", start);
  const end = feed < 0 ? text.length : feed;
  const line = text.slice(
    start,
    feed > start && text.charCodeAt(feed - 1) === CARRIAGE_RETURN ? feed - 1 : end,
  );
  if (line.includes('"')) return splitQuoted(text, start);
  if (line.includes("\r")) return STRAY_RETURN;
  return { fields: line.split(","), end: feed < 0 ? end : feed + 1, lines: 1 };
}

function splitQuoted(text: string, start: number): Split | string {
  const fields: string[] = [];
  let lines = 1;
  for (let at = start; ; at++) {
    if (text.charCodeAt(at) === QUOTE) {
      const close = closingQuote(text, at);
      if (close < 0) return NOT_CLOSED;
      const field = text.slice(at + 1, close);
      lines += countLines(field);
      fields.push(field.replaceAll('""', '"'));
      at = close + 1;
    } else {
      const end = endOfPlain(text, at);
      if (text.charCodeAt(end) === QUOTE) return STRAY_QUOTE;
      fields.push(text.slice(at, end));
      at = end;
    }
    const unit = text.charCodeAt(at);
    if (at >= text.length || unit === LINE_FEED) return { fields, end: Math.min(at + 1, text.length), lines };
    if (unit === CARRIAGE_RETURN) {
      return text.charCodeAt(at + 1) === LINE_FEED ? { fields, end: at + 2, lines } : STRAY_RETURN;
    }
    if (unit !== COMMA) return AFTER_QUOTE;
  }
}

/** The position of the quote that closes the one at `open`; two quotes in a row stand for one quote. */
function closingQuote(text: string, open: number): number {
  for (let at = open + 1; ; at += 2) {
    at = text.indexOf('"', at);
    if (at < 0 || text.charCodeAt(at + 1) !== QUOTE) return at;
  }
}

function endOfPlain(text: string, start: number): number {
  for (let at = start; at < text.length; at++) {
    const unit = text.charCodeAt(at);
    if (unit === COMMA || unit === LINE_FEED || unit === CARRIAGE_RETURN || unit === QUOTE) return at;
  }
  return text.length;
}

function countLines(text: string): number {
  let count = 0;
  for (let at = text.indexOf("\n"); at >= 0; at = text.indexOf("\n", at + 1)) count++;
  return count;
}
