import { useCallback, useState } from "preact/hooks";
import { type Animal, type EventType, listOrders, listPets, type Order } from "../../client/contract.ts";
import type { Operation } from "../../client/operation.ts";
import { type CallResponse, type Exchange, headerOf } from "../browser/call.ts";
import { messageOf } from "../browser/refusal.ts";
import { nextOf, resultOf } from "./result.ts";
import type { Session } from "./session.ts";
import { useLoaded } from "./use-loaded.ts";
import { passes, pathsOf, type View, withoutPets } from "./view.ts";

/** A page of a list of the service, or why it cannot be shown. */
export interface List<Item> {
  /** `undefined` until the first page is loaded. */
  readonly items: readonly Item[] | undefined;
  /** The service's link to the next page. */
  readonly next: string | undefined;
  readonly problem: Exchange | undefined;
  readonly isBusy: boolean;
  load(): Promise<void>;
  /** Changes an item in its place. */
  change(id: bigint, change: Partial<Item>): void;
  readonly marks: Marks;
  /** How many items were added since then, and are not on the page. */
  readonly news: number;
  /** Whether there are more, which no link leads to. */
  readonly isCut: boolean;
  /** Whether the service has more of it, before or after. */
  readonly isPart: boolean;
}

/** The ids of items that are marked since the page was loaded. */
export interface Marks {
  readonly changed: ReadonlySet<string>;
  /** Of new items, which have come to the top. */
  readonly arrived: ReadonlySet<string>;
}

interface Page<Item> {
  /** The requests that returned it. */
  readonly paths: string;
  readonly items: readonly Item[];
  readonly next: string | undefined;
  readonly isCut: boolean;
  readonly marks: Marks;
  readonly news: number;
}

/** The items of lists, by the member of an event that has one. */
interface Items {
  readonly animal: Animal;
  readonly order: Order;
}

interface Source<Item> {
  readonly list: Operation<Item[]>;
  /** The types of events that report a new item and a new status. */
  readonly added: EventType;
  readonly changed: EventType;
}

const SOURCES: { readonly [Member in keyof Items]: Source<Items[Member]> } = {
  animal: { list: listPets, added: "animal.created", changed: "animal.status_changed" },
  order: { list: listOrders, added: "order.placed", changed: "order.status_changed" },
};

/** Without this scope, orders come without their animals. */
const READ_PETS = "pets:read";

const NONE: Marks = { changed: new Set(), arrived: new Set() };
/** New items that a page takes up until it is loaded again. More are counted: an import may add thousands. */
const ARRIVED_MAX = 100;

/** The page of a view, loaded again when the view asks for another. */
export function useList<Member extends keyof Items>(
  session: Session,
  view: View,
  member: Member,
): List<Items[Member]> {
  type Item = Items[Member];
  const readsPets = !session.forbidden.has(READ_PETS);
  const paths = pathsOf(view)
    .map((path) => (readsPets ? path : withoutPets(path)))
    .join(" ");
  const [problem, setProblem] = useState<Exchange>();
  const { call } = session.service;
  const { onRefusedKey, feed, forbid } = session;
  const catchUp = feed?.catchUp;

  const ask = useCallback(
    async (signal: AbortSignal): Promise<Page<Item> | undefined> => {
      /** By their ids: an item that two responses have is as the later one says. */
      const items = new Map<string, Item>();
      const links: (string | undefined)[] = [];
      for (const path of paths.split(" ")) {
        const exchange = await call({ method: "GET", path, headers: {} }, { signal });
        if (signal.aborted) return;
        const { response } = exchange;
        if (response?.status === 401) return void onRefusedKey();
        // Asked again without the animals, since the session knows now what the key may not do.
        if (path !== withoutPets(path) && lacksPets(response))
          return void forbid(READ_PETS, messageOf(response));
        const found = resultOf(response, SOURCES[member].list);
        if (!response || !found) return void setProblem(exchange);
        for (const item of found) items.set(String(item.id), item);
        links.push(nextOf(response));
      }
      setProblem(undefined);
      catchUp?.();
      const isOnePage = links.length === 1;
      return {
        paths,
        items: [...items.values()],
        next: isOnePage ? links[0] : undefined,
        isCut: !isOnePage && links.some(Boolean),
        marks: NONE,
        news: 0,
      };
    },
    [call, paths, member, onRefusedKey, forbid, catchUp],
  );
  const { value, isBusy, load, change } = useLoaded(ask, feed, (events) => {
    const reported = (type: string) =>
      events.flatMap((event) => (event.type === type && event[member]) || []) as readonly Item[];
    const changed = reported(SOURCES[member].changed);
    const added = reported(SOURCES[member].added).filter((item) => passes(view, item));
    // A row that the pointer is about to press stays where it is.
    const mayMove = view.page === undefined && !document.querySelector(".items tbody:hover");
    return (page) => withAdded(withChanged(page, changed), added, mayMove);
  });
  // While another page is on its way, the one before it stays, unless there is a problem to show in its place.
  const isShown = value?.paths === paths || problem === undefined;
  const { items, next, marks = NONE, news = 0, isCut = false } = (isShown && value) || {};
  return {
    items,
    next,
    marks,
    news,
    isCut,
    isPart: isCut || news > 0 || Boolean(next ?? view.page),
    problem,
    isBusy,
    load,
    change: (id, changes) =>
      change((page) => ({
        ...page,
        items: page.items.map((item) => (String(item.id) === String(id) ? { ...item, ...changes } : item)),
      })),
  };
}

/** Whether a response says that the key may not read animals. */
function lacksPets(response: CallResponse | undefined): response is CallResponse {
  const lacked = response?.status === 403 ? headerOf(response, "www-authenticate") : undefined;
  return lacked?.includes(`"${READ_PETS}"`) === true;
}

/** A page with the changes that events report, marked. */
function withChanged<Item extends Animal | Order>(page: Page<Item>, changed: readonly Item[]): Page<Item> {
  const byId = new Map(changed.map((item) => [String(item.id), item]));
  // An event for a status that is already shown marks nothing: the page had it, or the user made the change.
  const differing = page.items.filter(
    ({ id, status }) => (byId.get(String(id))?.status ?? status) !== status,
  );
  const { marks } = page;
  return {
    ...page,
    items: page.items.map((item) => byId.get(String(item.id)) ?? item),
    marks: { ...marks, changed: marks.changed.union(idsOf(differing)) },
  };
}

/**
 * A page with the new items that events report: at its top, marked, or only counted where nothing may move. Once one is
 * counted all are, so that the top has no gap.
 */
function withAdded<Item extends Animal | Order>(
  page: Page<Item>,
  added: readonly Item[],
  mayMove: boolean,
): Page<Item> {
  const here = idsOf(page.items);
  const fresh = added.filter(({ id }) => !here.has(String(id)));
  const { marks, news } = page;
  if (!mayMove || news > 0 || marks.arrived.size + fresh.length > ARRIVED_MAX)
    return { ...page, news: news + fresh.length };
  return {
    ...page,
    items: [...fresh.toReversed(), ...page.items],
    marks: { ...marks, arrived: marks.arrived.union(idsOf(fresh)) },
  };
}

/** The ids of items, as texts. */
export function idsOf(items: readonly { readonly id: bigint }[]): ReadonlySet<string> {
  return new Set(items.map(({ id }) => String(id)));
}
