import { INCLUDED, type Included, type NewOrder, type Order, type ReadOrder } from "../domain/order.ts";
import { rfc3339 } from "../domain/time.ts";
import { optional } from "./list-parameters.ts";
import type { Parameter } from "./operation.ts";

/** What the response holds besides each order. */
export const include: Parameter<Included | undefined> = {
  in: "query",
  description:
    "`pet` adds to each order its animal as it is now, under the name `pet`: order and animal are of the same moment, and " +
    "the `ETag` covers both. Omit it for the orders alone.",
  schema: { type: "string", enum: INCLUDED },
  needs: new Map([["pet", "pets:read"]]),
  read: optional("include", `must be ${INCLUDED.join(" or ")}`, (text) =>
    INCLUDED.find((each) => each === text),
  ),
};

/** An order as `orderSchema` describes it. */
export function representOrder({ id, petId, status, placedAt, updatedAt, pet }: ReadOrder) {
  const order = {
    id,
    petId,
    status,
    placedAt: rfc3339(placedAt),
    updatedAt: rfc3339(updatedAt),
  } satisfies Record<keyof Order, unknown>;
  return pet === undefined ? order : { ...order, pet };
}

/** What a client says of an order, with every member, in the document's examples. */
export const EXAMPLE_NEW_ORDER = {
  petId: 7n,
} satisfies Record<keyof NewOrder, unknown>;

const { petId, ...LATER } = EXAMPLE_NEW_ORDER;

/** The order of the document's examples. */
export const EXAMPLE_ORDER = {
  id: 1n,
  petId,
  status: "placed",
  placedAt: "2026-11-22T09:30:00.000Z",
  updatedAt: "2026-11-22T09:30:00.000Z",
  ...LATER,
} satisfies Record<keyof Order, unknown>;
