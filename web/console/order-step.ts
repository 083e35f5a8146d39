import { getOrder, type Order, type OrderStatus } from "../../client/contract.ts";
import { type CallResponse, headerOf } from "../browser/call.ts";
import { resultOf } from "./result.ts";
import type { Service } from "./service.ts";

/** What became of a step. */
interface Outcome {
  /** `undefined` if no response came. */
  readonly response: CallResponse | undefined;
  /** Whether the order is no longer as the person saw it, so that nothing was done. */
  readonly hasChanged: boolean;
}

/**
 * Gives an order another status, unless it has changed since the person saw it. A list and the feed have no `ETag`, so the
 * order is fetched first, and its `ETag` is sent as `If-Match`.
 */
export async function takeStep(service: Service, seen: Order, to: OrderStatus): Promise<Outcome> {
  const path = `/orders/${seen.id}`;
  const { response: found } = await service.call({ method: "GET", path, headers: {} });
  if (!found) return { response: undefined, hasChanged: false };
  const now = resultOf(found, getOrder);
  if (now && (now.status !== seen.status || now.updatedAt !== seen.updatedAt))
    return { response: found, hasChanged: true };
  // A key that may not read orders may still change an order that it placed.
  if (!now && found.status !== 403) return { response: found, hasChanged: false };
  const { response } = await service.call({
    method: "PATCH",
    path,
    headers: {
      "Content-Type": "application/merge-patch+json",
      ...(now && { "If-Match": headerOf(found, "etag") ?? "*" }),
    },
    body: `{"status":"${to}"}`,
  });
  return { response, hasChanged: response?.status === 412 };
}
