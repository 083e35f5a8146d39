/** @jsxImportSource preact */
import { Forbidden } from "./forbidden.tsx";
import { ListView } from "./list-view.tsx";
import { OpenAnimal } from "./open-animal.tsx";
import { OpenOrder } from "./open-order.tsx";
import { OrderActions } from "./order-actions.tsx";
import { OrderTable } from "./order-table.tsx";
import { neighboursOf } from "./panel.tsx";
import type { Session } from "./session.ts";
import { OPEN, ORDER_STATUSES } from "./statuses.ts";
import { useFeedEvents } from "./use-feed.ts";
import { useList } from "./use-list.ts";
import { rememberNames, useNames } from "./use-names.ts";
import type { Go, View } from "./view.ts";

/** An animal that is opened from its order has none in the list of orders. */
const NONE = { previous: undefined, next: undefined, place: "" };

/** The orders: filters, a page of them, and the steps that each may take. */
export function Orders(props: {
  readonly session: Session;
  readonly view: View;
  readonly go: Go;
  readonly close: () => void;
}) {
  const { session, view, go, close } = props;
  const list = useList(session, view, "order");
  const names = useNames(session, list.items);
  // An event of an order lacks its animal, which another event of that moment has.
  useFeedEvents(session.feed, (events) =>
    rememberNames(
      session,
      events.flatMap(({ animal }) => animal ?? []),
    ),
  );
  return (
    <>
      <h1 class="visually-hidden">
        Orders <span class="tag beta">beta</span>
      </h1>
      <Forbidden id="may-not-order" action="change orders" message={session.forbidden.get("orders:write")} />
      <ListView
        {...{ session, view, go, list }}
        nouns={["order", "orders"]}
        statuses={[OPEN, "", ...ORDER_STATUSES]}
        empty={<p class="hint">Open an animal that is available to place the first one.</p>}
        table={(orders) => (
          <OrderTable
            orders={orders}
            isBusy={list.isBusy}
            marks={list.marks}
            names={names}
            {...{ view, go }}
            actions={(order) => (
              <OrderActions
                session={session}
                order={order}
                onChanged={(changed) => list.change(changed.id, changed)}
              />
            )}
          />
        )}
      />
      {view.animal ? (
        <OpenAnimal
          key={view.animal}
          {...{ session, view, go }}
          id={view.animal}
          known={undefined}
          onOrderChanged={(order) => list.change(order.id, order)}
          neighbours={NONE}
          onClose={close}
        />
      ) : view.order ? (
        <OpenOrder
          key={view.order}
          {...{ session, view, go }}
          id={view.order}
          known={list.items?.find(({ id }) => String(id) === view.order)}
          nameOf={({ petId }) => names.get(String(petId))}
          neighbours={neighboursOf(list.items, list.isPart, view.order, (order) => go({ order }))}
          onChanged={(order) => list.change(order.id, order)}
          onClose={close}
        />
      ) : null}
    </>
  );
}
