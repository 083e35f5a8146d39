/** @jsxImportSource preact */
import type { Animal, Order } from "../../client/contract.ts";
import { OFFERS_GET_PET } from "./offers.ts";
import { RowMenu } from "./row-menu.tsx";

/** @param isInRow whether the keyboard reaches it in the panel, too: a row is one stop */
export function AnimalMenu({ animal, isInRow = false }: { animal: Animal; isInRow?: boolean }) {
  return (
    <RowMenu
      of={`animal ${animal.id}`}
      item={animal}
      query={`?animal=${animal.id}`}
      call={OFFERS_GET_PET ? { method: "GET", path: `/pets/${animal.id}`, headers: {} } : undefined}
      isInRow={isInRow}
    />
  );
}

/** @param isInRow whether the keyboard reaches it in the panel, too: a row has links alone */
export function OrderMenu({ order, isInRow = false }: { order: Order; isInRow?: boolean }) {
  return (
    <RowMenu
      of={`order ${order.id}`}
      item={order}
      query={`?view=orders&order=${order.id}`}
      call={{ method: "GET", path: `/orders/${order.id}`, headers: {} }}
      isInRow={isInRow}
    />
  );
}
