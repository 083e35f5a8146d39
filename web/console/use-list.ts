import { useCallback, useState } from "preact/hooks";
import { type Animal, type EventType, listOrders, listPets, type Order } from "../../client/contract.ts";
import type { Operation } from "../../client/operation.ts";
import { type Exchange, headerOf } from "../browser/call.ts";
import { messageOf } from "../browser/refusal.ts";
import { nextOf, resultOf } from "./result.ts";
import type { Session } from "./session.ts";
import { useLoaded } from "./use-loaded.ts";
import { passes, pathOf, type View, withoutPets } from "./view.ts";

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
  /** The ids of items that have changed since the page was loaded. */
  readonly changed: ReadonlySet<string>;
  /** How many items were added since then, and are not on the page. */
  readonly news: number;
}

interface Page<Item> {
  /** The request that returned it. */
  readonly path: string;
  readonly items: readonly Item[];
  readonly next: string | undefined;
  readonly changed: ReadonlySet<string>;
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

const NONE: ReadonlySet<string> = new Set();

/** The page of a view, loaded again when the view asks for another. */
export function useList<Member extends keyof Items>(
  session: Session,
  view: View,
  member: Member,
): List<Items[Member]> {
  type Item = Items[Member];
  const path = session.forbidden.has(READ_PETS) ? withoutPets(pathOf(view)) : pathOf(view);
  const [problem, setProblem] = useState<Exchange>();
  const { call } = session.service;
  const { onRefusedKey, feed, forbid } = session;
  const catchUp = feed?.catchUp;

  const ask = useCallback(
    async (signal: AbortSignal): Promise<Page<Item> | undefined> => {
      const exchange = await call({ method: "GET", path, headers: {} }, { signal });
      if (signal.aborted) return;
      const { response } = exchange;
      if (response?.status === 401) return void onRefusedKey();
      const lacked = response?.status === 403 ? headerOf(response, "www-authenticate") : undefined;
      // Asked again without the animals, since the session knows now what the key may not do.
      if (response && path !== withoutPets(path) && lacked?.includes(`"${READ_PETS}"`))
        return void forbid(READ_PETS, messageOf(response));
      const items = resultOf(response, SOURCES[member].list);
      setProblem(items ? undefined : exchange);
      if (!response || !items) return;
      catchUp?.();
      return { path, items, next: nextOf(response), changed: NONE, news: 0 };
    },
    [call, path, member, onRefusedKey, forbid, catchUp],
  );
  const { value, isBusy, load, change } = useLoaded(ask, feed, (events) => {
    const reported = (type: string) =>
      events.flatMap((event) => (event.type === type && event[member]) || []) as readonly Item[];
    const changed = reported(SOURCES[member].changed);
    const added = reported(SOURCES[member].added).filter((item) => passes(view, item));
    return (page) => withReport(page, changed, added);
  });
  // While another page is on its way, the one before it stays, unless there is a problem to show in its place.
  const isShown = value?.path === path || problem === undefined;
  const { items, next, changed = NONE, news = 0 } = (isShown && value) || {};
  return {
    items,
    next,
    changed,
    news,
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

/** A page with the changes that events report, marked. New items are only counted, so that nothing moves. */
function withReport<Item extends Animal | Order>(
  page: Page<Item>,
  changed: readonly Item[],
  added: readonly Item[],
): Page<Item> {
  const byId = new Map(changed.map((item) => [String(item.id), item]));
  const here = new Set(page.items.map(({ id }) => String(id)));
  // An event for a status that is already shown marks nothing: the page had it, or the user made the change.
  const differing = page.items.filter(
    ({ id, status }) => (byId.get(String(id))?.status ?? status) !== status,
  );
  return {
    ...page,
    items: page.items.map((item) => byId.get(String(item.id)) ?? item),
    changed: page.changed.union(new Set(differing.map(({ id }) => String(id)))),
    news: page.news + added.filter(({ id }) => !here.has(String(id))).length,
  };
}
