import { INT64_MAX } from "../../contract/animal.ts";
import { ContractViolation } from "../../contract/contract-violation.ts";
import type { WireResponse } from "../wire/conversation.ts";

/** The allowed responses: a status, with the code of an Error. */
export interface Expectation {
  /** Read when the response has come: other clients may have made more outcomes possible meanwhile. */
  readonly outcomes: readonly string[];
  /** Further checks, if the first outcome came. */
  readonly check?: (body: Buffer, response: WireResponse) => void;
  /** Whether the deprecated operation answers. */
  readonly deprecated?: boolean;
}

/** The values of each parameter. */
export type Query = ReadonlyMap<string, readonly string[]>;

/** Whether a text of a path or a query is an id: a positive int64 in plain decimal. */
export function isId(text: string): boolean {
  return /^[1-9][0-9]*$/.test(text) && BigInt(text) <= INT64_MAX;
}

/** Decodes percent-escapes; `undefined` if they are broken or not UTF-8. */
export function decode(text: string): string | undefined {
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
}

/** The values of some parameters; `undefined` if one of them is given twice. */
export function singles(query: Query, names: readonly string[]): (string | undefined)[] | undefined {
  const given = names.map((name) => query.get(name) ?? []);
  return given.some((values) => values.length > 1) ? undefined : given.map(([value]) => value);
}

/** Parses a query; `undefined` if an escape in it is broken or not UTF-8. */
export function parseQuery(query: string): Query | undefined {
  const values = new Map<string, string[]>();
  for (const pair of query.split("&").filter((pair) => pair !== "")) {
    const [name, ...value] = pair.replaceAll("+", " ").split("=");
    const [decodedName, decodedValue] = [decode(name as string), decode(value.join("="))];
    if (decodedName === undefined || decodedValue === undefined) return undefined;
    values.set(decodedName, [...(values.get(decodedName) ?? []), decodedValue]);
  }
  return values;
}

/**
 * The query of a page's next link.
 *
 * @param list the path of the list below the version
 */
export function nextOf(link: string | null, list: string): Query | undefined {
  if (link === null) return undefined;
  const [, path, query] = /^<\/v1(\/[a-z]+)\?([!-;=?-~]+)>; rel="next"$/.exec(link) ?? [];
  if (query === undefined || path !== list) throw new ContractViolation(`the link is ${link}`);
  return parseQuery(query);
}
