import type { Order } from "../domain/order.ts";
import { rfc3339 } from "../domain/time.ts";
import { laterMembers } from "./later-members.ts";
import type { Column, Layout } from "./layout.ts";

/** In the order of files, so a new member comes last. */
const MEMBERS: Readonly<Record<keyof Order, Omit<Column, "name">>> = {
  id: { type: "integer", emptyIsValue: true },
  petId: { type: "integer", required: true },
  status: { type: "text" },
  placedAt: { type: "text" },
  updatedAt: { type: "text" },
};

const COLUMNS: readonly Column[] = Object.entries(MEMBERS).map(([name, member]) => ({ name, ...member }));

const LATER = laterMembers(COLUMNS, ["id", "petId", "status", "placedAt", "updatedAt"]);

/** How files represent orders, as the interface does. */
export const ORDER_LAYOUT: Layout<Order> = {
  columns: COLUMNS,
  toJson: (order) => {
    const { id, petId, status, placedAt, updatedAt } = order;
    return `{"id":${id},"petId":${petId},"status":"${status}","placedAt":"${rfc3339(placedAt)}","updatedAt":"${rfc3339(updatedAt)}"${LATER.toJson(order)}}`;
  },
  toCsv: (order) => {
    const { id, petId, status, placedAt, updatedAt } = order;
    return `${id},${petId},${status},${rfc3339(placedAt)},${rfc3339(updatedAt)}${LATER.toCsv(order)}`;
  },
};
