/** @jsxImportSource preact */
import type { ComponentChildren } from "preact";
import type { Order } from "../../client/contract.ts";
import { AnimalName } from "./animal-name.tsx";
import { onRow } from "./on-row.ts";
import { RowMenu } from "./row-menu.tsx";
import { StatusLabel } from "./status-label.tsx";
import { Time } from "./time.tsx";

interface Props {
  readonly orders: readonly Order[];
  readonly isBusy: boolean;
  /** The ids of the items that have changed since the page was loaded. */
  readonly changed: ReadonlySet<string>;
  /** The names of animals that are known, by their ids. */
  readonly names: ReadonlyMap<string, string>;
  readonly onOpen: (order: Order) => void;
  readonly actions: (order: Order) => ComponentChildren;
}

/** A page of the orders. */
export function OrderTable({ orders, isBusy, changed, names, onOpen, actions }: Props) {
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
      <tbody>
        {orders.map((order) => (
          <tr
            key={String(order.id)}
            class={changed.has(String(order.id)) ? "changed" : undefined}
            onClick={onRow(() => onOpen(order))}
          >
            <td class="number" data-label="Order">
              {String(order.id)}
            </td>
            <td class="name">
              <AnimalLink
                id={order.petId}
                name={names.get(String(order.petId))}
                onOpen={() => onOpen(order)}
              />
            </td>
            <td class="state">
              <StatusLabel status={order.status} isChanged={changed.has(String(order.id))} />
            </td>
            <td data-label="Placed">
              <Time at={order.placedAt} />
            </td>
            <td data-label="Changed">
              {order.updatedAt === order.placedAt ? "" : <Time at={order.updatedAt} />}
            </td>
            <td class="row-actions">{actions(order)}</td>
            <td class="row-menu-cell">
              <RowMenu
                of={`order ${order.id}`}
                item={order}
                query={`?view=orders&pet=${order.petId}`}
                call={{ method: "GET", path: `/orders/${order.id}`, headers: {} }}
              />
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

/** The animal of an order: its name and its id, or the id alone until the name is known. */
function AnimalLink(props: {
  readonly id: bigint;
  readonly name: string | undefined;
  readonly onOpen: () => void;
}) {
  const { id, name, onOpen } = props;
  return (
    <>
      <button type="button" class="link" onClick={onOpen}>
        {name ? <AnimalName name={name} class="clamped" /> : null}
        <span class={name && "visually-hidden"}>Animal {String(id)}</span>
      </button>
      {name ? (
        <span class="number hint" aria-hidden="true">
          {String(id)}
        </span>
      ) : null}
    </>
  );
}
