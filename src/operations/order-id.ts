import { Failure } from "../domain/failure.ts";
import { parsePositiveInt64 } from "../domain/int64.ts";
import type { Parameter } from "./operation.ts";

/** The order that a path names. */
export const orderId: Parameter<bigint> = {
  in: "path",
  description: "The order's identifier: a positive integer in plain decimal.",
  schema: { type: "integer", format: "int64", minimum: 1 },
  example: 1,
  // A text that is not an identifier names no order: 404, not 400.
  read: (text = "") => parsePositiveInt64(text) ?? new Failure("order_not_found", { id: text }),
};
