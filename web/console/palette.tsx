/** @jsxImportSource preact */
// Loaded when somebody presses Ctrl K in the console for the first time.
import { render } from "preact";
import type { SearchEntry } from "../build/search-index.ts";
import type { Finding } from "../reference/find.ts";
import { Search } from "../reference/search.tsx";
import { OFFERS_ORDERS } from "./offers.ts";
import { ANIMAL_STATUSES, OPEN, ORDER_STATUSES } from "./statuses.ts";

/** Shows the search over the console's views, animals and orders by their ids, and the documentation. */
export function openPalette(): void {
  const place = document.body.appendChild(document.createElement("div"));
  render(
    <Search
      about="Animals and orders by id, lists, operations, errors and guides."
      views={viewsOf()}
      byId={byId}
      onView={show}
    />,
    place,
  );
}

const view = (title: string, query: string): SearchEntry => ({
  title,
  to: query,
  kind: "Console",
  text: "",
});

function viewsOf(): readonly SearchEntry[] {
  const animals = ANIMAL_STATUSES.map((status) => view(`${status} animals`, `?status=${status}`));
  const orders = [OPEN, ...ORDER_STATUSES].map((status) =>
    view(`${status} orders`, `?view=orders&status=${status}`),
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

/** Shows a view of the console that this page is. */
function show(query: string): void {
  history.pushState({ trail: [] }, "", query === "?" ? location.pathname : query);
  dispatchEvent(new PopStateEvent("popstate"));
}
