import { Failure } from "../src/domain/failure.ts";
import { parseQuery } from "../src/http/request/target.ts";
import { FILTER_NAMES, type JournalFilter } from "./journal-entry.ts";
import type { JournalFilters } from "./journal-filters.ts";
import { noneOf } from "./none-of.ts";

export const SHOWN_BY_DEFAULT = 100;
export const SHOWN_MAX = 1000;
/** More would hide the request that was meant. */
const NEAREST_MAX = 20;
const NAMES: readonly string[] = [...FILTER_NAMES, "after", "limit", "nearest"];

interface JournalQuery {
  readonly filter: JournalFilter;
  readonly after: number;
  readonly limit: number;
  /** How many of the requests that come nearest to the filter are shown. */
  readonly nearest: number;
}

/**
 * Reads which requests to show. A misspelt filter is refused, since it would admit every request; a misspelt value, since it
 * would admit none.
 */
export function readJournalQuery(query: string, filters: JournalFilters): JournalQuery | Failure {
  const given = parametersOf(query, NAMES);
  if (given instanceof Failure) return given;
  const { after: afterText, limit: limitText, nearest: nearestText, ...rest } = given;
  const after = wholeNumber("after", afterText, 0, Number.MAX_SAFE_INTEGER);
  const limit = wholeNumber("limit", limitText, SHOWN_BY_DEFAULT, SHOWN_MAX);
  if (after instanceof Failure) return after;
  if (limit instanceof Failure) return limit;
  const nearest = wholeNumber("nearest", nearestText, 0, NEAREST_MAX);
  if (nearest instanceof Failure) return nearest;
  return filters.problemOf(rest) ?? { filter: rest, after, limit, nearest };
}

/** Reads the parameters of a query, each of which has one of these names and is given once. */
export function parametersOf(query: string, names: readonly string[]): Record<string, string> | Failure {
  const given = parseQuery(query);
  if (given instanceof Failure) return given;
  const parameters: Record<string, string> = {};
  for (const [name, values] of given) {
    if (!names.includes(name)) return new Failure("invalid_parameter", { name, rule: noneOf(names, name) });
    if (values.length > 1) return new Failure("invalid_parameter", { name, rule: "must be given once" });
    parameters[name] = values[0] as string;
  }
  return parameters;
}

/** Reads a parameter that is a whole number from 0; left out: `byDefault`. */
export function wholeNumber(name: string, text: string | undefined, byDefault: number, maximum: number) {
  const number = Number(text ?? byDefault);
  const isValid = text === undefined || (/^(?:0|[1-9][0-9]*)$/.test(text) && number <= maximum);
  return isValid
    ? number
    : new Failure("invalid_parameter", { name, rule: `must be a whole number from 0 to ${maximum}` });
}
