/** @jsxImportSource preact */
// Loaded when somebody presses Ctrl K in the console for the first time.
import { render } from "preact";
import { folded } from "../model/folded.ts";
import type { SearchEntry } from "../model/search-entry.ts";
import { capitalized } from "../parts/capitalized.ts";
import type { Finding } from "../reference/find.ts";
import { HERE } from "../reference/first-places.ts";
import { type Keys, Search } from "../reference/search.tsx";
import { OFFERS_ORDERS } from "./offers.ts";
import { ANIMAL_STATUSES, OPEN, ORDER_STATUSES } from "./statuses.ts";

/** Animals that a part of a name finds. A longer part finds the others. */
const NAMES_MAX = 8;

const LIST_KEYS: Keys = [
  [["j", "k"], "rows of a list"],
  [["x"], "choose one"],
];

/**
 * Shows the search over the console's views, animals and orders by their ids, and the documentation.
 *
 * @param names the names of animals that the console has shown, by their ids. The interface has no search for others
 */
export function openPalette(names: () => ReadonlyMap<string, string>): void {
  const place = document.body.appendChild(document.createElement("div"));
  render(
    <Search
      about="Animals by the names that this tab has shown, animals and orders by id, lists, operations and guides."
      views={viewsOf()}
      itemsOf={(query) => [...byId(query), ...byName(query, names())]}
      nameOf={(to) => names().get(/^\?animal=(\d+)$/.exec(to)?.[1] ?? "")}
      keys={LIST_KEYS}
      onView={show}
    />,
    place,
  );
}

const view = (title: string, query: string): SearchEntry => ({
  title,
  to: query,
  kind: HERE,
  text: "",
});

function viewsOf(): readonly SearchEntry[] {
  const animals = ANIMAL_STATUSES.map((status) =>
    view(capitalized(`${status} animals`), `?status=${status}`),
  );
  const orders = [OPEN, ...ORDER_STATUSES].map((status) =>
    view(capitalized(`${status} orders`), `?view=orders&status=${status}`),
  );
  return [
    view("Animals", "?"),
    ...animals,
    ...(OFFERS_ORDERS ? [view("Orders", "?view=orders"), ...orders] : []),
  ];
}

/** What a number may be the id of. */
function byId(query: string): readonly Finding[] {
  const [id] = /^\d{1,19}$/.exec(query.trim()) ?? [];
  if (!id) return [];
  const entries = [view(`Animal ${id}`, `?animal=${id}`)];
  if (OFFERS_ORDERS) entries.push(view(`Order ${id}`, `?view=orders&order=${id}`));
  return entries.map((entry) => ({ entry, marks: [id], excerpt: "" }));
}

/** The animals whose names a query is in. */
function byName(query: string, names: ReadonlyMap<string, string>): readonly Finding[] {
  const part = folded(query.trim());
  const found = part ? [...names].filter(([, name]) => folded(name).includes(part)) : [];
  return found.slice(0, NAMES_MAX).map(([id, name]) => ({
    entry: { ...view(name, `?animal=${id}`), kind: `Animal ${id}` },
    marks: [query.trim()],
    excerpt: "",
  }));
}

/** Shows a view of the console that this page is. */
function show(query: string): void {
  history.pushState({ trail: [] }, "", query === "?" ? location.pathname : query);
  dispatchEvent(new PopStateEvent("popstate"));
}
