import { isSetting } from "./suggest.ts";

const BLANK_OR_COMMENT = /^\s*(?:#|$)/;
/** A name and the start of its value. `parseEnv` also takes a colon that a space follows. */
const ASSIGNMENT = /^\s*(?:export\s+)?([\w.-]+)\s*(?:=|:\s)\s*(.?)/;
const NAME = /^\s*(?:export\s+)?([\w.-]*)/;
/** `parseEnv` begins a comment at any `#`, also in a password or the name of a file. */
const NUMBER_SIGN_WITHIN = /^[^#]*[^#\s]#/;

/**
 * A sentence for each line of a `.env` that `parseEnv` would skip, or read in another way than was meant. It does not show
 * the line, which may hold a secret.
 */
export function malformedLines(dotEnv: string): string[] {
  const errors: string[] = [];
  const lines = dotEnv.split(/\r\n|\r|\n/);
  const linesOf = new Map<string, number[]>();
  for (let n = 0; n < lines.length; n++) {
    const line = lines[n] as string;
    if (BLANK_OR_COMMENT.test(line)) continue;
    const number = n + 1;
    const assignment = ASSIGNMENT.exec(line);
    if (!assignment) {
      errors.push(withoutValue(line, number));
      continue;
    }
    const [begin, name = "", quote = ""] = assignment;
    let isRead = true;
    if (/["'`]/.test(quote)) {
      const end = findClosing(quote, lines, n, begin.length);
      if (end === undefined) {
        errors.push(`The quote in line ${number} of .env is never closed; close it with ${quote}.`);
        continue;
      }
      n = end.line;
      isRead = BLANK_OR_COMMENT.test(end.rest);
    } else isRead = !NUMBER_SIGN_WITHIN.test(line);
    // Other programs may read their own variables in another way.
    if (!isSetting(name)) continue;
    linesOf.set(name, [...(linesOf.get(name) ?? []), number]);
    if (!isRead) {
      errors.push(
        `Only a part of ${name} in line ${number} of .env would be read; put the whole value in quotes, and a space ` +
          "before the # of a comment.",
      );
    }
  }
  for (const [name, numbers] of linesOf) {
    if (numbers.length > 1)
      errors.push(`${name} stands in lines ${numbers.join(" and ")} of .env; leave one of them.`);
  }
  return errors;
}

function withoutValue(line: string, number: number): string {
  const name = NAME.exec(line)?.[1] ?? "";
  return isSetting(name)
    ? `${name} in line ${number} of .env has no value; write ${name}=… or leave the line out.`
    : `Line ${number} of .env is not NAME=value; correct it, or begin it with # to make it a comment.`;
}

/**
 * The index of the line in which a quoted value ends, and what follows the value there.
 *
 * @param start where the value begins, after its quote
 */
function findClosing(
  quote: string,
  lines: readonly string[],
  first: number,
  start: number,
): { line: number; rest: string } | undefined {
  for (let line = first; line < lines.length; line++) {
    const text = line === first ? (lines[line] as string).slice(start) : (lines[line] as string);
    const closing = text.replace(/\\./g, "\\\\").indexOf(quote);
    if (closing >= 0) return { line, rest: text.slice(closing + 1) };
  }
  return undefined;
}
