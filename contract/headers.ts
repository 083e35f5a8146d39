import { ContractViolation } from "./contract-violation.ts";

/**
 * The query of a page's next link, if it has one (RFC 8288).
 *
 * @param path of the list, from the root of the host
 * @throws ContractViolation when there is a link and it leads elsewhere
 */
export function nextQueryOf(headers: Headers, path: string): URLSearchParams | undefined {
  const link = headers.get("link");
  if (link === null) return undefined;
  const target = /^<([!-;=?-~]+)>; rel="next"$/.exec(link)?.[1];
  const url = target === undefined ? undefined : URL.parse(target, "http://relative");
  if (url?.pathname !== path)
    throw new ContractViolation(`the link to the next page is ${link}, and the list is at ${path}`);
  return url.searchParams;
}
