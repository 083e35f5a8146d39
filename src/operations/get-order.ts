import { Failure } from "../domain/failure.ts";
import type { Order } from "../domain/order.ts";
import { orderSchema } from "../domain/order-schemas.ts";
import { operation, type Plan } from "./operation.ts";
import { EXAMPLE_ORDER, representOrder } from "./order-representation.ts";
import { pathId } from "./path-id.ts";

export const getOrder = operation({
  id: "getOrder",
  tag: "Orders",
  method: "GET",
  path: "/orders/{orderId}",
  summary: "Get an order",
  description: "Returns one order by its id.",
  stability: "beta",
  scope: "orders:read",
  parameters: { orderId: pathId("order") },
  answers: {
    200: { description: "The order.", schema: orderSchema, headers: [], example: EXAMPLE_ORDER },
  },
  failures: ["order_not_found"],
  plan(_, { parameters: { orderId } }) {
    return {
      ask: (store) => store.findOrder(orderId),
      answer: (order) =>
        order
          ? { status: 200, value: representOrder(order), invalidatedBy: "rewrite" }
          : new Failure("order_not_found", { id: orderId.toString() }),
    } satisfies Plan<Order | undefined>;
  },
});
