import { assert } from "./contract-violation.ts";

/** What a page of animals or orders must keep to. */
interface PageRules {
  /** What it has, for people. */
  readonly many: "animals" | "orders";
  readonly limit: number;
  /** The id after which it begins. */
  readonly after: bigint | number;
  /** Whether it has a link to the next page. */
  readonly more: boolean;
}

/**
 * Asserts that a page is not longer than its limit, that only a full page has a link to the next, and that ids ascend.
 *
 * @throws BrokenPromise
 */
export function assertPage(
  items: readonly { readonly id: bigint }[],
  { many, limit, after, more }: PageRules,
  request: string,
): void {
  assert(items.length <= limit, `at most ${limit} ${many}`, `${items.length}`, request);
  assert(
    !more || items.length === limit,
    "a link to the next page on full pages only",
    "one on another",
    request,
  );
  let last = after;
  for (const { id } of items) {
    assert(id > last, `ids that ascend, after ${last}`, `${id}`, request);
    last = id;
  }
}
