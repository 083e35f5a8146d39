import { ContractViolation } from "../../contract/contract-violation.ts";
import { assertPage, itemsOf, type List } from "../../contract/lists.ts";
import { type Expectation, nextOf, type Query, singles } from "./expectation.ts";
import { type Filters, Positions } from "./positions.ts";
import { type FuzzRequest, headerOf } from "./request.ts";

/** What a page shows. */
export interface PageShown<Item> {
  readonly items: readonly Item[];
  /** The last id on it; on an empty page the id after which it begins. */
  readonly last: number;
  /** Whether it has a link to the next page. */
  readonly more: boolean;
}

const INVALID: Expectation = { outcomes: ["400 invalid_parameter"] };

/** The part of a model that knows a list: its parameters, and what any page of it must keep to. */
export class ListModel<Name extends string, Item extends { readonly id: bigint }> {
  readonly positions: Positions<Name>;
  readonly #list: List<Item, Name>;
  readonly #isValid: Readonly<Record<Name, (value: string) => boolean>>;
  readonly #names: readonly Name[];

  /**
   * @param isValid by the name of each parameter that filters the list: whether a value is valid
   * @param positions of a list with the same cursors
   */
  constructor(
    list: List<Item, Name>,
    isValid: Readonly<Record<Name, (value: string) => boolean>>,
    positions?: Positions<Name>,
  ) {
    this.#list = list;
    this.#isValid = isValid;
    this.#names = Object.keys(isValid) as Name[];
    this.positions = positions ?? new Positions(this.#names);
  }

  /**
   * Expects a page, or that the query is refused.
   *
   * @param begin is called when the request is sent, and returns what judges its page
   * @param isStartKnown whether the page begins after a known id; else its link cannot be remembered
   */
  expect(
    request: FuzzRequest,
    query: Query,
    begin: (filters: Filters<Name>, after: number) => (page: PageShown<Item>) => void,
    isStartKnown = true,
  ): Expectation {
    const given = singles(query, ["limit", "cursor", ...this.#names]);
    if (!given) return INVALID;
    const [limit = "20", cursor, ...values] = given;
    const filters = Object.fromEntries(this.#names.map((name, at) => [name, values[at]])) as Filters<Name>;
    const isValid = (name: Name) => filters[name] === undefined || this.#isValid[name](filters[name]);
    const after = this.positions.after(cursor, filters);
    if (!isLimit(limit) || !this.#names.every(isValid) || after === undefined) return INVALID;
    const judge = begin(filters, after);
    return {
      outcomes: headerOf(request, "if-none-match") === undefined ? ["200"] : ["200", "304"],
      check: (body, { headers, status }) => {
        if (status !== 200 || request.method === "HEAD") return;
        const items = itemsOf(this.#list, body);
        const next = nextOf(headers.get("link"), this.#list.path);
        if (next && next.get("include")?.join() !== query.get("include")?.join())
          throw new ContractViolation("the link does not keep `include`");
        const rules = { limit: Number(limit), after, more: next !== undefined, filters };
        assertPage(this.#list, items, rules);
        const last = Number(items.at(-1)?.id ?? after);
        if (next && isStartKnown) this.positions.learn(next, last, limit, filters);
        judge({ items, last, more: next !== undefined });
      },
    };
  }
}

/** Whether a text is a valid `limit`. */
function isLimit(text: string): boolean {
  return /^(?:[1-9][0-9]?|100)$/.test(text);
}
