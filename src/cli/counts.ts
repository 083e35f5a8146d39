import { wrongValue } from "../process/errors.ts";

/** Writes a number for people: 1,000,000. */
export function written(count: number): string {
  return Math.round(count).toLocaleString("en");
}

/** "1 key", "1,000 keys". */
export function counted(count: number, one: string): string {
  return `${written(count)} ${count === 1 ? one : `${one}s`}`;
}

/** "1 animal", "1,000 animals". */
export function animals(count: number): string {
  return counted(count, "animal");
}

/** "id 300", "ids 300 to 302". */
export function idRange(first: bigint, last: bigint): string {
  return first === last ? `id ${first}` : `ids ${first} to ${last}`;
}

/** Reads a whole number within bounds from a flag. */
export function parseWholeNumber(flag: string, text: string, least: number, most: number): number {
  const number = Number(text);
  if (/^(?:0|[1-9][0-9]{0,14})$/.test(text) && number >= least && number <= most) return number;
  throw wrongValue(flag, text, `be a whole number from ${least} to ${most}`);
}

/** Reads the seed of `seed`, and of a sandbox's animals. */
export function parseSeed(text: string): number {
  if (/^[0-9]{1,9}$/.test(text)) return Number(text);
  throw wrongValue("--seed", text, "be a whole number below a billion");
}

/** Reads a whole number of at least 1 from a flag. */
export function parseCount(text: string, flag: string): number {
  if (/^[1-9][0-9]{0,14}$/.test(text)) return Number(text);
  throw wrongValue(flag, text, "be a whole number of at least 1");
}
