/** @jsxImportSource preact */
import type { Animal, Order } from "../../client/contract.ts";
import { Forbidden } from "./forbidden.tsx";
import { Message } from "./message.tsx";
import { OrderActions } from "./order-actions.tsx";
import { stepsOf } from "./order-steps.ts";
import { OrderTimeline } from "./order-timeline.tsx";
import { PlaceOrder } from "./place-order.tsx";
import type { Session } from "./session.ts";
import { StatusLabel } from "./status-label.tsx";
import { Time } from "./time.tsx";
import { useAnimalOrders } from "./use-animal-orders.ts";
import { type Go, UNFILTERED, type View } from "./view.ts";
import { ViewLink } from "./view-link.tsx";

/** How many of an animal's orders are shown beside it; the table of orders has the rest. */
const SHOWN_MAX = 5;

interface Props {
  readonly session: Session;
  readonly animal: Animal;
  readonly onChanged: (order: Order) => void;
  readonly view: View;
  readonly go: Go;
}

/** An animal's orders, the latest first, and a button that places one. */
export function AnimalOrders({ session, animal, onChanged, view, go }: Props) {
  const { orders, fault, load, change } = useAnimalOrders(session, animal.id);
  const mayNotRead = session.forbidden.get("orders:read");
  const changed = (order: Order) => {
    change(order);
    onChanged(order);
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
      {orders?.length === 0 ? <p class="hint">This animal has no orders.</p> : null}
      <PlaceOrder session={session} animal={animal} onPlaced={changed} />
      {fault ? (
        <p class="callout bad" role="alert">
          <Message text={fault} />{" "}
          <button type="button" class="link" onClick={load}>
            Try again
          </button>
        </p>
      ) : orders ? (
        <OrderList {...{ orders, view, go }}>
          {(order) => <OrderActions session={session} order={order} isMain onChanged={changed} />}
        </OrderList>
      ) : mayNotRead === undefined ? (
        <p class="hint">Loading orders…</p>
      ) : null}
    </section>
  );
}

function OrderList(props: {
  readonly orders: readonly Order[];
  readonly view: View;
  readonly go: Go;
  readonly children: (order: Order) => preact.JSX.Element;
}) {
  const { orders, view, go, children } = props;
  const list = { ...UNFILTERED, section: "orders" } as const;
  return (
    <>
      <ul class="order-list">
        {orders.slice(0, SHOWN_MAX).map((order) => (
          <li key={String(order.id)}>
            <span class="order-title">
              <ViewLink {...{ view, go }} to={{ ...list, order: String(order.id) }}>
                Order {String(order.id)}
              </ViewLink>
              <StatusLabel status={order.status} />
            </span>
            {/* Of an order that is over, the last step says it all. */}
            {stepsOf(order).length > 0 ? (
              <OrderTimeline order={order} />
            ) : (
              <span class="hint">
                <Time at={order.updatedAt} />
              </span>
            )}
            {children(order)}
          </li>
        ))}
      </ul>
      {orders.length > SHOWN_MAX ? (
        <p>
          <ViewLink {...{ view, go }} to={{ ...list, pet: String(orders[0]?.petId) }}>
            All {orders.length} orders of this animal
          </ViewLink>
        </p>
      ) : null}
    </>
  );
}
