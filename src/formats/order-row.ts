import type { Order } from "../domain/order.ts";
import { rfc3339 } from "../domain/time.ts";
import type { Layout } from "./layout.ts";

/** How files represent orders, as the interface does. */
export const ORDER_LAYOUT: Layout<Order> = {
  columns: [
    { name: "id", type: "integer", emptyIsValue: true },
    { name: "petId", type: "integer", required: true },
    { name: "status", type: "text" },
    { name: "placedAt", type: "text" },
    { name: "updatedAt", type: "text" },
  ],
  toJson: ({ id, petId, status, placedAt, updatedAt }) =>
    `{"id":${id},"petId":${petId},"status":"${status}","placedAt":"${rfc3339(placedAt)}","updatedAt":"${rfc3339(updatedAt)}"}`,
  toCsv: ({ id, petId, status, placedAt, updatedAt }) =>
    `${id},${petId},${status},${rfc3339(placedAt)},${rfc3339(updatedAt)}`,
};
