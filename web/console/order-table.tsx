/** @jsxImportSource preact */
import type { ComponentChildren } from "preact";
import type { Order } from "../../client/contract.ts";
import { AnimalName } from "./animal-name.tsx";
import { OrderMenu } from "./item-menus.tsx";
import { onRow } from "./on-row.ts";
import { markOf, SlidingBody } from "./sliding-body.tsx";
import { StatusLabel } from "./status-label.tsx";
import { Time } from "./time.tsx";
import type { Marks } from "./use-list.ts";
import type { Go, View } from "./view.ts";
import { ViewLink } from "./view-link.tsx";

interface Props {
  readonly orders: readonly Order[];
  readonly isBusy: boolean;
  readonly marks: Marks;
  /** The names of animals that are known, by their ids. */
  readonly names: ReadonlyMap<string, string>;
  readonly view: View;
  readonly go: Go;
  readonly actions: (order: Order) => ComponentChildren;
}

/** A page of the orders. */
export function OrderTable({ orders, isBusy, marks, names, view, go, actions }: Props) {
  return (
    <table class="items orders" aria-busy={isBusy}>
      <caption class="visually-hidden">Orders</caption>
      <thead>
        <tr>
          <th scope="col">Order</th>
          <th scope="col">Animal</th>
          <th scope="col">Status</th>
          <th scope="col">Placed</th>
          <th scope="col">Last change</th>
          <th scope="col">Actions</th>
          <th scope="col">
            <span class="visually-hidden">Copy</span>
          </th>
        </tr>
      </thead>
      <SlidingBody arrived={marks.arrived}>
        {orders.map((order) => (
          <tr
            key={String(order.id)}
            class={markOf(order, marks)}
            aria-current={String(order.id) === view.order ? "true" : undefined}
            onClick={onRow(() => go({ order: String(order.id) }))}
          >
            <td class="number" data-label="Order">
              <ViewLink {...{ view, go }} to={{ order: String(order.id) }} class="link">
                <span class="visually-hidden">Order </span>
                {String(order.id)}
              </ViewLink>
            </td>
            <td class="name">
              <AnimalLink id={order.petId} name={names.get(String(order.petId))} {...{ view, go }} />
            </td>
            <td class="state">
              <StatusLabel status={order.status} isChanged={marks.changed.has(String(order.id))} />
            </td>
            <td data-label="Placed">
              <Time at={order.placedAt} />
            </td>
            <td data-label="Changed">
              {order.updatedAt === order.placedAt ? "" : <Time at={order.updatedAt} />}
            </td>
            <td class="row-actions">{actions(order)}</td>
            <td class="row-menu-cell">
              <OrderMenu order={order} isInRow />
            </td>
          </tr>
        ))}
      </SlidingBody>
    </table>
  );
}

/** The animal of an order: its name and its id, or the id alone until the name is known. */
function AnimalLink(props: {
  readonly id: bigint;
  readonly name: string | undefined;
  readonly view: View;
  readonly go: Go;
}) {
  const { id, name, view, go } = props;
  return (
    <>
      <ViewLink {...{ view, go }} to={{ animal: String(id) }} class="link">
        {name ? <AnimalName name={name} class="clamped" /> : null}
        <span class={name && "visually-hidden"}>Animal {String(id)}</span>
      </ViewLink>
      {name ? (
        <span class="number hint" aria-hidden="true">
          {String(id)}
        </span>
      ) : null}
    </>
  );
}
