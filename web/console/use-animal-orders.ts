import { useCallback, useState } from "preact/hooks";
import { listOrders, type Order } from "../../client/contract.ts";
import type { Exchange } from "../browser/call.ts";
import { messageOf } from "../browser/refusal.ts";
import { nextOf, resultOf } from "./result.ts";
import type { Session } from "./session.ts";
import { useLoaded } from "./use-loaded.ts";

/** An animal has few orders, since only cancelled ones can pile up. */
const PAGES_MAX = 10;

interface AnimalOrders {
  /** The latest first; `undefined` until they are loaded. */
  readonly orders: readonly Order[] | undefined;
  /** Why they could not be loaded, in words for the user; otherwise empty. */
  readonly fault: string;
  load(): Promise<void>;
  /** Takes over a new order, or a new status of one. */
  change(changed: Order): void;
}

/** The orders of one animal, kept up to date by the feed. */
export function useAnimalOrders(session: Session, petId: bigint): AnimalOrders {
  const [fault, setFault] = useState("");
  const { call } = session.service;
  const { onRefusedKey, forbid, feed } = session;

  const ask = useCallback(
    async (signal: AbortSignal): Promise<readonly Order[] | undefined> => {
      const found: Order[] = [];
      let path: string | undefined = `/orders?petId=${petId}&limit=100`;
      for (let page = 0; path !== undefined && page < PAGES_MAX; page++) {
        const { response }: Exchange = await call({ method: "GET", path, headers: {} }, { signal });
        if (signal.aborted) return;
        if (response?.status === 401) return void onRefusedKey();
        if (response?.status === 403) return void forbid("orders:read", messageOf(response));
        const orders = resultOf(response, listOrders);
        if (!response || !orders) {
          return void setFault(response ? messageOf(response) : "The orders could not be loaded.");
        }
        found.push(...orders);
        path = nextOf(response);
      }
      setFault("");
      return found.reverse();
    },
    [call, petId, onRefusedKey, forbid],
  );
  const { value, load, change } = useLoaded(ask, feed, (events) => (before) => {
    const own = events.flatMap(({ order }) => (order?.petId === petId ? [order] : []));
    return own.reduce(withOrder, before);
  });
  return {
    orders: value,
    fault,
    load,
    change: (changed) => change((before) => withOrder(before, changed)),
  };
}

/** The orders after a change of one, which may be new. */
function withOrder(orders: readonly Order[], changed: Order): readonly Order[] {
  return orders.some(({ id }) => id === changed.id)
    ? orders.map((each) => (each.id === changed.id ? changed : each))
    : [changed, ...orders];
}
