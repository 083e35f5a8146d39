import type { Animal, ListOrdersQuery, ListPetsQuery, Order } from "../../client/contract.ts";

export type Section = "animals" | "orders";

/** What lists are filtered by, under the names that the console's address has; an empty text filters by nothing. */
export const NO_FILTER = { pet: "" };
export type Filtered = Readonly<typeof NO_FILTER>;

/** A filter of a list, other than the one by status. */
interface Filter<Item> {
  readonly name: keyof Filtered;
  /** What stands between the list and the value in "orders of animal 7". */
  readonly words: string;
  /** What its field says while it is empty. */
  readonly placeholder: string;
  /** What an item has of it: a new item appears in a filtered list if that is its value. */
  readonly of: (item: Item) => unknown;
}

/** A filter for each parameter of a list of the service that decides which items it has: one without does not compile. */
type FiltersOf<Query, Item> = {
  readonly [Parameter in Exclude<keyof Query, "limit" | "status" | "sort" | "include">]-?: Filter<Item>;
};

/** Fields, addresses, requests, what a list is called and the filters that a browser keeps follow from here. */
const FILTERS: {
  readonly animals: FiltersOf<ListPetsQuery, Animal>;
  readonly orders: FiltersOf<ListOrdersQuery, Order>;
} = {
  animals: {},
  orders: {
    petId: { name: "pet", words: "of animal", placeholder: "Animal id", of: ({ petId }) => petId },
  },
};

/** The filters of a view's list, each with the service's parameter for it and with what the view filters by. */
export function filtersOf(view: Filtered & { readonly section: Section }) {
  const filters = Object.entries<Filter<never>>(FILTERS[view.section]);
  return filters.map(([parameter, filter]) => ({ ...filter, parameter, value: view[filter.name] }));
}

/** The filters of a view's list that are in use. */
export function filtersInUse(view: Filtered & { readonly section: Section }) {
  return filtersOf(view).filter(({ value }) => value);
}
