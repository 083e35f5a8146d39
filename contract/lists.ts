import { type Animal, animalOf, parseExact, show } from "./animal.ts";
import { assert, ContractViolation } from "./contract-violation.ts";
import { eventOf, type FeedEvent } from "./event.ts";
import { type Order, type OrderWithPet, orderOf, orderWithPetOf, showOrder } from "./order.ts";

/** A list of the contract, and how its items are read. */
export interface List<Item, Name extends string = string> {
  /** Its path below the base address. */
  readonly path: string;
  readonly many: "animals" | "orders" | "events";
  /** Whether a page has a link to the next even where nothing follows yet. */
  readonly isEndless?: boolean;
  /** @throws ContractViolation */
  read(value: unknown): Item;
  /** An item for people. */
  show(item: Item): string;
  /** By the name of each parameter that filters it: what an item must have to fit. */
  readonly filters: Readonly<Record<Name, (item: Item) => unknown>>;
}

export const PETS = {
  path: "/pets",
  many: "animals",
  read: animalOf,
  show,
  filters: {
    status: ({ status }) => status,
  },
} satisfies List<Animal>;
export const ORDERS = {
  path: "/orders",
  many: "orders",
  read: orderOf,
  show: showOrder,
  filters: { status: ({ status }) => status, petId: ({ petId }) => petId },
} satisfies List<Order>;
/** The same list with `include=pet`. */
export const ORDERS_WITH_PETS = { ...ORDERS, read: orderWithPetOf } satisfies List<OrderWithPet>;
export const EVENTS = {
  path: "/events",
  many: "events",
  isEndless: true,
  read: eventOf,
  show: ({ text }) => text,
  filters: { type: ({ type }) => type },
} satisfies List<FeedEvent>;

/**
 * The items of a page.
 *
 * @throws ContractViolation
 */
export function itemsOf<Item>({ read }: List<Item>, body: Uint8Array): Item[] {
  const page = parseExact(body);
  if (!Array.isArray(page)) throw new ContractViolation("it is not an array");
  return page.map(read);
}

/** The value of each filter that is set, and `sort`. */
type Filters = Readonly<Record<string, unknown>>;

/** What a page must keep to. */
interface PageRules {
  readonly limit: number;
  /** The id after which it begins; 0 for the first page. */
  readonly after: bigint | number;
  /** Whether it has a link to the next page. */
  readonly more: boolean;
  readonly filters: Filters;
}

/**
 * Asserts that a page is not longer than its limit, that its ids ascend (or descend, as its `sort` says), that its items fit the filters, and that only a
 * full page has a link to the next.
 *
 * @throws BrokenPromise
 */
export function assertPage<Item extends { readonly id: bigint }>(
  list: List<Item>,
  items: readonly Item[],
  { limit, after, more, filters }: PageRules,
  request?: string,
): void {
  const { many, isEndless = false } = list;
  assert(items.length <= limit, `at most ${limit} ${many}`, `${items.length}`, request);
  if (isEndless) assert(more, "a link to what follows", "none", request);
  else if (more)
    assert(items.length === limit, "a link to the next page on full pages only", "one on another", request);
  const isNewestFirst = filters.sort === "-id";
  const direction = isNewestFirst ? "descend" : "ascend";
  let last = after;
  for (const item of items) {
    const follows = isNewestFirst ? !last || item.id < last : item.id > last;
    assert(follows, `ids that ${direction}, after ${last}`, `${item.id}`, request);
    last = item.id;
    for (const name in list.filters)
      assert(
        fits(list, item, name, filters),
        `${many} with the ${name} ${filters[name]}`,
        `${item.id}: ${list.show(item)}`,
        request,
      );
  }
}

/** Whether an item has what a list is filtered by. */
export function fitsAll<Item>(list: List<Item>, item: Item, filters: Filters): boolean {
  return Object.keys(list.filters).every((name) => fits(list, item, name, filters));
}

function fits<Item>({ filters }: List<Item>, item: Item, name: string, wanted: Filters): boolean {
  const value = wanted[name] ?? undefined;
  if (value === undefined) return true;
  const own = filters[name]?.(item);
  // An item that lacks the member fits no value, not even the text "undefined".
  return own !== undefined && `${own}` === `${value}`;
}
