import { assert } from "../../contract/contract-violation.ts";
import { assertPage, type List } from "../../contract/lists.ts";
import { type CreateSpan, contradictionIn, type ReadSpan } from "./linearize.ts";
import { boundsOfGet, type PageSeen, type Span } from "./page-span.ts";

/** The ids that a page showed, with the status of each item. */
export interface Shown<Status> {
  readonly ids: readonly number[];
  readonly statuses: readonly Status[];
}

/** A page, as a client saw it, with its query. */
export type PageRead<Query, Status> = PageSeen & Query & Shown<Status>;

/** A request for an item by its id; `shown` is `undefined` if it was not found. */
interface GetRead<Status> extends Span {
  readonly id: number;
  readonly shown: Status | undefined;
}

/** Everything that clients read of one kind of item: each response is checked at once, and kept for the end. */
export class Reads<
  Item extends { readonly id: bigint; readonly status: string },
  Query extends { readonly after: number },
> {
  readonly pages: PageRead<Query, Item["status"]>[] = [];
  readonly gets: GetRead<Item["status"]>[] = [];
  readonly #list: List<Item>;
  readonly #see: (item: Item, request: string) => void;

  /** @param see compares an item with what was seen of it before */
  constructor(list: List<Item>, see: (item: Item, request: string) => void) {
    this.#list = list;
    this.#see = see;
  }

  get count(): number {
    return this.pages.length + this.gets.length;
  }

  /** Records a page, and returns what it showed. */
  page(
    query: Query,
    limit: number,
    items: readonly Item[],
    more: boolean,
    span: Span,
  ): Shown<Item["status"]> {
    const { after, ...filters } = query;
    assertPage(this.#list, items, { limit, after, more, filters }, span.request);
    for (const item of items) this.#see(item, span.request);
    const ids = items.map(({ id }) => Number(id));
    const shown: Shown<Item["status"]> = { ids, statuses: items.map(({ status }) => status) };
    this.again(query, shown, more, span);
    return shown;
  }

  /** Records a 304: the page was unchanged. */
  again(query: Query, { ids, statuses }: Shown<Item["status"]>, more: boolean, span: Span): void {
    this.pages.push({ ...query, ...span, more, ids, statuses });
  }

  /** Records a request for an item by its id. */
  get(id: number, item: Item | undefined, span: Span): void {
    if (item) {
      assert(Number(item.id) === id, `the id ${id}`, `${item.id}: ${this.#list.show(item)}`, span.request);
      this.#see(item, span.request);
    }
    this.gets.push({ ...span, id, shown: item?.status });
  }

  /** What the requests for items by their ids say of how many could be seen. */
  spansOfGets(
    positions: ReadonlyMap<number, number>,
    describe: (get: Span, what: string) => string,
  ): ReadSpan[] {
    return this.gets.map((get) => {
      const { id, from, to, shown } = get;
      const found = shown !== undefined;
      const what = `${found ? "found" : "did not find"} ${id} among the ${this.#list.many}`;
      return { from, to, ...boundsOfGet(found, positions.get(id)), describe: () => describe(get, what) };
    });
  }
}

/** @throws BrokenPromise unless all operations on a list fit into one order */
export function assertOneOrder(
  creates: readonly CreateSpan[],
  reads: readonly ReadSpan[],
  operations: string,
): void {
  const contradiction = contradictionIn(creates, reads);
  assert(
    contradiction === undefined,
    `an order of all ${operations} in which each happens between its request and its response`,
    `two for which there is none:\n${contradiction?.earlier}\n${contradiction?.later}`,
  );
}
