import { Failure } from "../domain/failure.ts";
import { digestOfOrder } from "../domain/idempotency.ts";
import { orderInputSchema, orderSchema } from "../domain/order-schemas.ts";
import { idempotencyKey, idempotencyOf } from "./idempotency-key.ts";
import { operation } from "./operation.ts";
import { EXAMPLE_NEW_ORDER, EXAMPLE_ORDER, representOrder } from "./order-representation.ts";

export const placeOrder = operation({
  id: "placeOrder",
  tag: "Orders",
  method: "POST",
  path: "/orders",
  summary: "Place an order",
  description:
    "Orders an animal that is `available`, which becomes `pending` in the same step. However many clients ask at once, " +
    "an animal is in at most one open order. The response is sent once the order is on disk.",
  stability: "beta",
  scope: "orders:write",
  parameters: { "Idempotency-Key": idempotencyKey },
  body: {
    description: "The order to place, at most 64 KiB of JSON in UTF-8.",
    schema: orderInputSchema,
    examples: { order: { summary: "An order for an animal", value: EXAMPLE_NEW_ORDER } },
  },
  responses: {
    201: {
      description: "The order, with the status `placed`.",
      schema: orderSchema,
      headers: ["Location", "Idempotent-Replayed"],
      example: EXAMPLE_ORDER,
    },
  },
  failures: ["invalid_header", "animal_not_found", "animal_not_available", "idempotency_key_reused"],
  async run({ store, ifKeysAt }, { caller, parameters, body: order }) {
    const idempotency = idempotencyOf(caller, parameters["Idempotency-Key"], () => digestOfOrder(order));
    const placed = await store.placeOrder(order, idempotency, ifKeysAt);
    const id = order.petId.toString();
    if (placed === "key_reused") return new Failure("idempotency_key_reused", {});
    if (placed === "animal_not_found") return new Failure("animal_not_found", { id });
    if ("unavailable" in placed) {
      return new Failure("animal_not_available", { id, status: placed.unavailable });
    }
    const replayed = "replayed" in placed;
    const shown = replayed ? placed.replayed : placed;
    return { status: 201, value: representOrder(shown), location: `/orders/${shown.id}`, replayed };
  },
});
