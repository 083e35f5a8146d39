/** @jsxImportSource preact */
import type { Animal, Order } from "../../client/contract.ts";
import { Forbidden } from "./forbidden.tsx";
import { Message } from "./message.tsx";
import { OrderActions } from "./order-actions.tsx";
import { PlaceOrder } from "./place-order.tsx";
import type { Session } from "./session.ts";
import { StatusLabel } from "./status-label.tsx";
import { Time } from "./time.tsx";
import { useAnimalOrders } from "./use-animal-orders.ts";

/** How many of an animal's orders are shown beside it; the table of orders has the rest. */
const SHOWN_MAX = 5;

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
  const { orders, fault, load, change } = useAnimalOrders(session, animal.id);
  const mayNotRead = session.forbidden.get("orders:read");
  const changed = (order: Order) => {
    change(order);
    onChanged(order);
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
      <PlaceOrder session={session} animal={animal} onStale={refresh} onPlaced={changed} />
      {fault ? (
        <p class="callout bad" role="alert">
          <Message text={fault} />{" "}
          <button type="button" class="link" onClick={load}>
            Try again
          </button>
        </p>
      ) : orders ? (
        <OrderList orders={orders} onOrders={onOrders}>
          {(order) => <OrderActions session={session} order={order} onChanged={changed} onStale={refresh} />}
        </OrderList>
      ) : mayNotRead === undefined ? (
        <p class="hint">Loading orders…</p>
      ) : null}
    </section>
  );
}

function OrderList(props: {
  readonly orders: readonly Order[];
  readonly onOrders: () => void;
  readonly children: (order: Order) => preact.JSX.Element;
}) {
  const { orders, onOrders, children } = props;
  if (orders.length === 0) return <p class="hint">This animal has no orders.</p>;
  return (
    <>
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
            {children(order)}
          </li>
        ))}
      </ul>
      {orders.length > SHOWN_MAX ? (
        <p>
          <button type="button" class="link" onClick={onOrders}>
            All {orders.length} orders of this animal
          </button>
        </p>
      ) : null}
    </>
  );
}
