import { z } from "zod";
import type { NewOrder } from "../domain/order.ts";
import { orderInputSchema, orderStatusSchema } from "../domain/order-schemas.ts";
import { parseTime, rfc3339 } from "../domain/time.ts";
import type { IncomingOrder } from "../domain/transfer.ts";
import type { RowCheck } from "./layout.ts";
import { rowChecker } from "./row-checker.ts";
import type { IdChoice } from "./row-ids.ts";

const TIME_RULE =
  "must be an RFC 3339 time, to the millisecond at most, for example 2026-11-22T09:30:00.000Z";

const time = z
  .string({ error: TIME_RULE })
  .regex(/T\d\d:\d\d:\d\d(\.\d{1,3})?(Z|[+-]\d\d:\d\d)$/i, { error: TIME_RULE, abort: true })
  .transform(parseTime)
  // An offset can move a time out of the years that four digits can write.
  .refine((at) => Number.isFinite(at) && rfc3339(at).length === "2026-11-22T09:30:00.000Z".length, {
    error: TIME_RULE,
  });

const rowSchema = orderInputSchema.extend({
  status: orderStatusSchema.default("placed"),
  placedAt: time.optional(),
  updatedAt: time.optional(),
} satisfies Record<Exclude<keyof IncomingOrder, keyof NewOrder | "id">, z.ZodType>);

/**
 * Checks each row by itself. The store checks whether an order agrees with its animal and with other orders.
 *
 * @param now the time of orders whose rows name none, in milliseconds since 1970
 */
export function orderChecker(choice: IdChoice, now: number): RowCheck<IncomingOrder> {
  return rowChecker<z.output<typeof rowSchema>, IncomingOrder>(choice, rowSchema, (row) => {
    const { placedAt = Math.min(now, row.updatedAt ?? now) } = row;
    const { updatedAt = placedAt } = row;
    if (updatedAt < placedAt) return "`updatedAt` must not be before `placedAt`";
    return { ...row, placedAt, updatedAt };
  });
}
