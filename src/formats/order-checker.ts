import { z } from "zod";
import { orderInputSchema, orderStatusSchema } from "../domain/order-schemas.ts";
import { problemsOf } from "../domain/problems.ts";
import { parseTime } from "../domain/time.ts";
import type { IncomingOrder } from "../domain/transfer.ts";
import type { Row, RowCheck } from "./layout.ts";
import { ID_RULE, type IdChoice, isId, RowIds } from "./row-ids.ts";

const TIME_RULE =
  "must be an RFC 3339 time, to the millisecond at most, for example 2026-11-22T09:30:00.000Z";

const time = z
  .string({ error: TIME_RULE })
  .regex(/T\d\d:\d\d:\d\d(\.\d{1,3})?(Z|[+-]\d\d:\d\d)$/i, { error: TIME_RULE, abort: true })
  .transform(parseTime)
  // An offset can move a time out of the years that four digits can write.
  .refine(
    (at) => Number.isFinite(at) && new Date(at).toISOString().length === "2026-11-22T09:30:00.000Z".length,
    {
      error: TIME_RULE,
    },
  );

const rowSchema = orderInputSchema.extend({
  status: orderStatusSchema.default("placed"),
  placedAt: time.optional(),
  updatedAt: time.optional(),
});

/**
 * Checks each row by itself. The store checks whether an order agrees with its animal and with other orders.
 *
 * @param now the time of orders whose rows name none, in milliseconds since 1970
 */
export function orderChecker(choice: IdChoice, now: number): RowCheck<IncomingOrder> {
  const ids = new RowIds(choice);
  return (row) => {
    const order = checkRow(row, now);
    return typeof order === "string" ? order : ids.take(order);
  };
}

function checkRow(row: Row, now: number): IncomingOrder | string {
  const { id } = row;
  const checked = rowSchema.safeParse(row);
  const problems = checked.success ? [] : problemsOf(checked.error, row);
  if (id !== undefined && !isId(id)) problems.unshift(`\`id\` ${ID_RULE}`);
  if (!checked.success || problems.length > 0) return problems.join("; ");
  const { petId, status, placedAt = Math.min(now, checked.data.updatedAt ?? now) } = checked.data;
  const { updatedAt = placedAt } = checked.data;
  if (updatedAt < placedAt) return "`updatedAt` must not be before `placedAt`";
  const order = { petId, status, placedAt, updatedAt };
  return isId(id) ? { id, ...order } : order;
}
