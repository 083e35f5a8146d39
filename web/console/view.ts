import { useEffect, useRef, useState } from "preact/hooks";
import type { Animal, Order } from "../../client/contract.ts";
import { type Filtered, filtersInUse, filtersOf, NO_FILTER, type Section } from "./filters.ts";
import { OPEN, OPEN_STATUSES } from "./statuses.ts";

/** What the console shows. It is in the address, so it survives a reload and can be shared. */
export interface View extends Filtered {
  readonly section: Section;
  readonly status: string;
  readonly limit: string;
  /** The link of the service to this page; `undefined` for the first. */
  readonly page: string | undefined;
  /** The id of the animal that is open. */
  readonly animal: string | undefined;
  /** The id of the order that is open, in place of an animal. */
  readonly order: string | undefined;
  /** The pages before this one, to go back. */
  readonly trail: readonly (string | undefined)[];
}

export type Go = (change: Partial<View>) => void;

/** What an entry of the browser's history remembers in addition to its address. */
interface HistoryState {
  readonly trail: View["trail"];
  /** Whether the entry before it is the same view with nothing open. */
  readonly isOpenedHere: boolean;
}

export const LIMITS = ["20", "50", "100"] as const;
/** Where a change of filters leads, since the link to a page belongs to the filters of its list. */
export const FIRST_PAGE = { page: undefined, trail: [] } as const;
/** The first page, of everything, with nothing open. */
export const UNFILTERED = {
  ...FIRST_PAGE,
  ...NO_FILTER,
  status: "",
  animal: undefined,
  order: undefined,
} as const;

/** A view with a change: what it opens takes the place of what was open. */
export function withChange(view: View, change: Partial<View>): View {
  const closed = change.animal ? { order: undefined } : change.order ? { animal: undefined } : {};
  return { ...view, ...closed, ...change };
}

function hasOpen({ animal, order }: View): boolean {
  return (animal ?? order) !== undefined;
}

/**
 * The view that the address names, and functions that open another and close what is open of the list. The browser's
 * "back" button works too: closing goes back to where the first was opened, so that "back" does not open it again.
 */
export function useView(): { readonly view: View; readonly go: Go; readonly close: () => void } {
  const [view, setView] = useState(viewOfAddress);
  // It takes a moment, in which a second Escape must not go back once more.
  const isGoingBack = useRef(false);
  useEffect(() => {
    const onBack = () => {
      isGoingBack.current = false;
      setView(viewOfAddress());
    };
    addEventListener("popstate", onBack);
    return () => removeEventListener("popstate", onBack);
  }, []);
  const show = (next: View, write: "pushState" | "replaceState", isOpenedHere = false) => {
    history[write]({ trail: next.trail, isOpenedHere } satisfies HistoryState, "", addressOf(next));
    setView(next);
  };
  return {
    view,
    go: (change) => {
      const next = withChange(view, change);
      const opens = (change.animal ?? change.order) !== undefined;
      // Another filter, chosen while something is open, is a view of its own: closing does not take it back.
      if (opens && hasOpen(view)) show(next, "replaceState", historyState()?.isOpenedHere);
      else show(next, "pushState", opens);
    },
    close: () => {
      if (!historyState()?.isOpenedHere)
        return show({ ...view, animal: undefined, order: undefined }, "replaceState");
      if (!isGoingBack.current) history.back();
      isGoingBack.current = true;
    },
  };
}

function historyState(): Partial<HistoryState> | null {
  return history.state;
}

function viewOfAddress(): View {
  const query = new URLSearchParams(location.search);
  const section = query.get("view") === "orders" ? "orders" : "animals";
  const page = query.get("page") ?? undefined;
  // A page's link has the filters that it was made for: the controls show these, whatever else the address says.
  const filters = isLink(page, section) ? new URL(page, location.href).searchParams : query;
  const limit = filters.get("limit") ?? "";
  const filtered = { ...NO_FILTER };
  for (const { name, parameter } of filtersOf({ ...NO_FILTER, section }))
    filtered[name] = filters.get(filters === query ? name : parameter) ?? "";
  return {
    ...filtered,
    section,
    status: filters.get("status") ?? "",
    limit: (LIMITS as readonly string[]).includes(limit) ? limit : LIMITS[0],
    page,
    animal: query.get("animal") ?? undefined,
    order: query.get("order") ?? undefined,
    trail: historyState()?.trail ?? [],
  };
}

export function addressOf(view: View): string {
  const { section, status, limit, page, animal, order } = view;
  const query = new URLSearchParams();
  if (section !== "animals") query.set("view", section);
  if (status) query.set("status", status);
  if (limit !== LIMITS[0]) query.set("limit", limit);
  for (const { name, value } of filtersInUse(view)) query.set(name, value);
  if (page) query.set("page", page);
  if (animal) query.set("animal", animal);
  if (order) query.set("order", order);
  return query.size > 0 ? `?${query}` : location.pathname;
}

/** Whether a text from the address is a link of the service to a page of a section. */
function isLink(page: string | undefined, section: Section): page is string {
  return page?.startsWith(`/v1/${RESOURCES[section]}?`) === true;
}

const RESOURCES: Readonly<Record<Section, string>> = { animals: "pets", orders: "orders" };

/**
 * The requests for a view's page, the newest first: a request for each status of open orders. They are sent one after the
 * other, so an order that takes a step meanwhile is in one response or in both.
 */
export function pathsOf(view: View): readonly string[] {
  const { section, page } = view;
  // A link of the service is followed as it is; any other text is ignored.
  if (isLink(page, section)) return [page];
  return queriesOf(view).map((path) => `${path}&sort=-id${section === "orders" ? PETS : ""}`);
}

/** The requests for everything that passes a view's filters, in the order of files: the oldest first. */
export function wholePathsOf(view: View): readonly string[] {
  return queriesOf({ ...view, limit: "100" });
}

function queriesOf(view: View): readonly string[] {
  const { section, status, limit } = view;
  return (isOfOpen(view) ? OPEN_STATUSES : [status]).map((each) => {
    const query = [
      `limit=${limit}`,
      ...(each ? [`status=${encodeURIComponent(each)}`] : []),
      ...filtersInUse(view).map(({ parameter, value }) => `${parameter}=${encodeURIComponent(value)}`),
    ];
    return `/${RESOURCES[section]}?${query.join("&")}`;
  });
}

/** Whether a view lists the open orders, for which the service has no filter. */
export function isOfOpen({ section, status }: View): boolean {
  return section === "orders" && status === OPEN;
}

/** What asks for the animal of each order too. */
const PETS = "&include=pet";

/** The same request without the animals of orders, which a key may not be allowed to read. */
export function withoutPets(path: string): string {
  return path.replace(PETS, "");
}

type List = Filtered & Pick<View, "section" | "status">;

/** What a view lists, for example "sold animals" or "orders of animal 7". */
export function listOf(view: List): string {
  const filters = filtersInUse(view).map(({ words, value }) => ` ${words} ${value}`);
  return `${view.status} ${view.section}${filters.join("")}`.trim();
}

/** Whether a view lists a part of what there is. */
export function isFiltered(view: List): boolean {
  return listOf(view) !== view.section;
}

/** Whether an item passes a view's filters. */
export function passes(view: View, item: Animal | Order): boolean {
  const { status } = view;
  const statuses: readonly string[] = isOfOpen(view) ? OPEN_STATUSES : [status];
  const isOfStatus = !status || statuses.includes(item.status ?? "");
  return isOfStatus && filtersInUse(view).every(({ of, value }) => String(of(item as never) ?? "") === value);
}
