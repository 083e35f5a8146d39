import type { Order } from "../../../domain/order.ts";
import { ID } from "../../column.ts";
import { NEW_ORDER_COLUMNS } from "../../order-row.ts";
import { insertRows } from "./insert-rows.ts";
import { raiseLastId } from "./sequence.ts";
import type { BulkSession } from "./session.ts";

/** Stores orders with their ids, within a transaction. */
export function addOrders(session: BulkSession, orders: readonly Order[]): Promise<void> {
  return insertRows<Order>(session, "store_order", [ID, ...NEW_ORDER_COLUMNS], orders);
}

/** Stores orders without ids, and gives them ids, within a transaction. */
export async function addNewOrders(
  session: BulkSession,
  chunks: Iterable<readonly Omit<Order, "id">[]>,
): Promise<void> {
  const [locked] = await session.run<{ last: bigint }[]>(
    (sql) => sql`SELECT animal_store.lock_order_ids() AS last`,
  );
  let last = locked?.last ?? 0n;
  for (const chunk of chunks) {
    const orders = chunk.map((order) => ({ id: ++last, ...order }));
    await addOrders(session, orders);
  }
  await raiseLastId(session, "store_order", last);
}
