/** @jsxImportSource preact */
import { useCallback, useState } from "preact/hooks";
import { type Animal, listOrders, type Order } from "../../../client/contract.ts";
import type { Exchange } from "../browser/call.ts";
import { messageOf } from "../browser/refusal.ts";
import { Forbidden } from "./forbidden.tsx";
import { Message } from "./message.tsx";
import { OrderActions } from "./order-actions.tsx";
import { PlaceOrder } from "./place-order.tsx";
import { nextOf, resultOf } from "./result.ts";
import type { Session } from "./session.ts";
import { StatusLabel } from "./status-label.tsx";
import { Time } from "./time.tsx";
import { useLoaded } from "./use-loaded.ts";

/** How many of an animal's orders are shown beside it: the rest is in the table of orders. */
const SHOWN_MAX = 5;
/** An animal has few orders, since only cancelled ones can pile up. */
const PAGES_MAX = 10;

interface Props {
  readonly session: Session;
  readonly animal: Animal;
  readonly onChanged: (order: Order) => void;
  readonly onStale: () => void;
  /** Shows all of them in the table. */
  readonly onOrders: () => void;
}

/** An animal's orders, the latest first, and a button that places one. */
export function AnimalOrders({ session, animal, onChanged, onStale, onOrders }: Props) {
  const [fault, setFault] = useState("");
  const { call } = session.service;
  const { onRefusedKey, forbid, feed } = session;
  const id = String(animal.id);

  const ask = useCallback(
    async (signal: AbortSignal): Promise<readonly Order[] | undefined> => {
      const found: Order[] = [];
      let path: string | undefined = `/orders?petId=${id}&limit=100`;
      for (let page = 0; path !== undefined && page < PAGES_MAX; page++) {
        const { response }: Exchange = await call({ method: "GET", path, headers: {} }, { signal });
        if (signal.aborted) return;
        const items = resultOf(response, listOrders);
        if (response?.status === 401) return void onRefusedKey();
        if (response?.status === 403) return void forbid("orders:read", messageOf(response));
        if (!response || !items) {
          return void setFault(response ? messageOf(response) : "The orders could not be loaded.");
        }
        found.push(...items);
        path = nextOf(response);
      }
      setFault("");
      return found.reverse();
    },
    [call, id, onRefusedKey, forbid],
  );
  const {
    value: orders,
    load,
    change: changeOrders,
  } = useLoaded(ask, feed, (events) => (before) => {
    const own = events.flatMap(({ order }) => (String(order?.petId) === id && order) || []);
    return own.reduce(withOrder, before);
  });

  const mayNotRead = session.forbidden.get("orders:read");
  const change = (changed: Order) => {
    changeOrders((before) => withOrder(before, changed));
    onChanged(changed);
  };
  const refresh = () => {
    void load();
    onStale();
  };
  return (
    <section class="animal-orders" aria-labelledby="animal-orders">
      <h3 id="animal-orders">
        Orders <span class="tag beta">beta</span>
      </h3>
      <Forbidden id="may-not-read-orders" action="see orders" message={mayNotRead} />
      <Forbidden
        id="may-not-place"
        action="place or change orders"
        message={session.forbidden.get("orders:write")}
      />
      <PlaceOrder session={session} animal={animal} onStale={refresh} onPlaced={change} />
      {fault ? (
        <p class="callout bad" role="alert">
          <Message text={fault} />{" "}
          <button type="button" class="link" onClick={load}>
            Try again
          </button>
        </p>
      ) : mayNotRead !== undefined && !orders ? null : !orders ? (
        <p class="hint">Loading orders…</p>
      ) : orders.length === 0 ? (
        <p class="hint">This animal has no orders.</p>
      ) : (
        <ul class="order-list">
          {orders.slice(0, SHOWN_MAX).map((order) => (
            <li key={String(order.id)}>
              <span class="order-title">
                <span>
                  Order <code>{String(order.id)}</code>
                </span>{" "}
                <StatusLabel status={order.status} />
              </span>
              <span class="hint">
                <Time at={order.updatedAt} />
              </span>
              <OrderActions session={session} order={order} onChanged={change} onStale={refresh} />
            </li>
          ))}
        </ul>
      )}
      {orders && orders.length > SHOWN_MAX ? (
        <p>
          <button type="button" class="link" onClick={onOrders}>
            All {orders.length} orders of this animal
          </button>
        </p>
      ) : null}
    </section>
  );
}

/** Orders as they are after a change of one, which may be new. */
function withOrder(orders: readonly Order[], changed: Order): readonly Order[] {
  return orders.some(({ id }) => id === changed.id)
    ? orders.map((each) => (each.id === changed.id ? changed : each))
    : [changed, ...orders];
}
