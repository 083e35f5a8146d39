import { isSetting } from "./suggest.ts";

const BLANK_OR_COMMENT = /^\s*(?:#|$)/;
/** A name and the start of its value. `parseEnv` also takes a colon that a space follows. */
const ASSIGNMENT = /^\s*(?:export\s+)?[\w.-]+\s*(?:=|:\s)\s*(.?)/;
const NAME = /^\s*(?:export\s+)?([\w.-]*)/;

/**
 * A sentence for each line of a `.env` that `parseEnv` would skip, or read in another way than was meant. It does not show
 * the line, which may hold a secret.
 */
export function malformedLines(dotEnv: string): string[] {
  const errors: string[] = [];
  const lines = dotEnv.split(/\r\n|\r|\n/);
  for (let n = 0; n < lines.length; n++) {
    const line = lines[n] as string;
    if (BLANK_OR_COMMENT.test(line)) continue;
    const assignment = ASSIGNMENT.exec(line);
    const quote = assignment?.[1] ?? "";
    if (!assignment) errors.push(withoutValue(line, n + 1));
    else if (/["'`]/.test(quote)) {
      const last = lineOfClosing(quote, lines, n, assignment[0].length);
      if (last === undefined)
        errors.push(`The quote in line ${n + 1} of .env is never closed; close it with ${quote}.`);
      else n = last;
    }
  }
  return errors;
}

function withoutValue(line: string, number: number): string {
  const name = NAME.exec(line)?.[1] ?? "";
  return isSetting(name)
    ? `${name} in line ${number} of .env has no value; write ${name}=… or leave the line out.`
    : `Line ${number} of .env is not NAME=value; correct it, or begin it with # to make it a comment.`;
}

/** The index of the line in which a quoted value ends. @param start where the value begins, after its quote */
function lineOfClosing(
  quote: string,
  lines: readonly string[],
  first: number,
  start: number,
): number | undefined {
  for (let n = first; n < lines.length; n++) {
    const text = n === first ? (lines[n] as string).slice(start) : (lines[n] as string);
    if (text.replace(/\\./g, "").includes(quote)) return n;
  }
  return undefined;
}
