import type { Order } from "../domain/order.ts";
import type { Layout } from "./layout.ts";

/** How files hold orders: as the interface does. */
export const ORDER_LAYOUT: Layout<Order> = {
  columns: [
    { name: "id", type: "integer", emptyIsValue: true },
    { name: "petId", type: "integer", required: true },
    { name: "status", type: "text" },
    { name: "placedAt", type: "text" },
    { name: "updatedAt", type: "text" },
  ],
  toJson: ({ id, petId, status, placedAt, updatedAt }) =>
    `{"id":${id},"petId":${petId},"status":"${status}","placedAt":"${written(placedAt)}","updatedAt":"${written(updatedAt)}"}`,
  toCsv: ({ id, petId, status, placedAt, updatedAt }) =>
    `${id},${petId},${status},${written(placedAt)},${written(updatedAt)}`,
};

function written(time: number): string {
  return new Date(time).toISOString();
}
