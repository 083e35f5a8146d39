import { Failure } from "../domain/failure.ts";
import { orderSchema, orderUpdateSchema } from "../domain/order-schemas.ts";
import type { Updated } from "../domain/store.ts";
import { ifMatch, namesCurrent } from "./if-match.ts";
import { operation } from "./operation.ts";
import { EXAMPLE_ORDER, representOrder } from "./order-representation.ts";
import { pathId } from "./path-id.ts";

export const updateOrder = operation({
  id: "updateOrder",
  tag: "Orders",
  method: "PATCH",
  path: "/orders/{orderId}",
  summary: "Change an order",
  description:
    "Changes the status of an order, and that of its animal in the same step. An order goes from `placed` to `approved` " +
    "to `delivered`, which makes its animal `sold`. Until it is `delivered` it can become `cancelled`, which makes its " +
    "animal `available` again. With the status that the order already has, nothing changes, so a retry is safe. With " +
    "`If-Match`, the order changes only if it is still as you know it.",
  stability: "beta",
  scope: "orders:write",
  parameters: { orderId: pathId("order"), "If-Match": ifMatch },
  body: {
    description: "The order's new status, at most 64 KiB of JSON in UTF-8.",
    // RFC 7396: no member can be removed, so a merge patch means what the JSON object means.
    mediaTypes: ["application/json", "application/merge-patch+json"],
    schema: orderUpdateSchema,
    examples: {
      approve: { summary: "Approve the order", value: { status: "approved" } },
      cancel: { summary: "Cancel the order", value: { status: "cancelled" } },
    },
  },
  responses: {
    200: {
      description: "The order as it is now.",
      schema: orderSchema,
      headers: [],
      example: { ...EXAMPLE_ORDER, status: "approved", updatedAt: "2026-11-22T09:45:00.000Z" },
    },
  },
  failures: ["invalid_header", "order_not_found", "precondition_failed", "invalid_transition"],
  async run({ store, ifKeysAt }, { parameters: { orderId, "If-Match": tags = "*" }, body: { status } }) {
    // The store knows no tags: it says how the order is, and changes it if it is still so.
    let updated = await store.updateOrder(orderId, status, ifKeysAt, tags === "*" ? undefined : "unknown");
    while (tags !== "*" && isOther(updated) && namesCurrent(tags, representOrder(updated.differs))) {
      updated = await store.updateOrder(orderId, status, ifKeysAt, updated.differs);
    }
    if (updated === "order_not_found") return new Failure("order_not_found", { id: orderId.toString() });
    if (isOther(updated)) return new Failure("precondition_failed", {});
    if ("invalidFrom" in updated) {
      return new Failure("invalid_transition", { from: updated.invalidFrom, to: status });
    }
    return { status: 200, value: representOrder(updated) };
  },
});

function isOther(updated: Updated): updated is Extract<Updated, { readonly differs: unknown }> {
  return typeof updated === "object" && "differs" in updated;
}
