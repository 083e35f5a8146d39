/** A number past 2^53 in a message, by its digits as they came. The program that wrote it as a number may have rounded it. */
export class LongNumber {
  readonly digits: string;

  constructor(digits: string) {
    this.digits = digits;
  }
}

/**
 * Reads a message without rounding a number: a number that no double holds exactly becomes a `LongNumber`.
 * @throws SyntaxError if the text is not JSON
 */
export function readMessage(text: string): unknown {
  return JSON.parse(text, (_name, value, { source = "" }: { readonly source?: string } = {}) =>
    typeof value === "number" && !isExact(value) ? new LongNumber(source) : value,
  );
}

/** A fraction is what a double makes of it; an integer past 2^53, or past all doubles, may have been another. */
function isExact(value: number): boolean {
  return Number.isSafeInteger(value) || (Number.isFinite(value) && !Number.isInteger(value));
}

/** Writes a message on one line. */
export function writeMessage(message: unknown): string {
  return JSON.stringify(message, (_name, value) =>
    value instanceof LongNumber ? JSON.rawJSON(value.digits) : value,
  );
}
