import type { Order } from "../../../domain/order.ts";
import { column } from "../columns.ts";
import type { BulkSession } from "./session.ts";

/** Stores orders with their ids, within a transaction. */
export async function addOrders(session: BulkSession, orders: readonly Order[]): Promise<void> {
  await session.run((sql) => {
    const values = (value: (order: Order) => bigint | number | string) =>
      column(sql, orders, (order) => value(order).toString());
    return sql`
      INSERT INTO animal_store.store_order (id, animal_id, status, placed_at, updated_at)
      SELECT * FROM unnest(${values(({ id }) => id)}::bigint[],
                           ${values(({ petId }) => petId)}::bigint[],
                           ${values(({ status }) => status)}::text[],
                           ${values(({ placedAt }) => placedAt)}::bigint[],
                           ${values(({ updatedAt }) => updatedAt)}::bigint[])`;
  });
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
    await addOrders(
      session,
      chunk.map((order) => ({ id: ++last, ...order })),
    );
  }
  if (last > 0n) {
    await session.run((sql) => sql`SELECT setval('animal_store.store_order_id_seq', ${last}::bigint)`);
  }
}
