import type { z } from "zod";
import { problemsOf } from "../domain/problems.ts";
import type { RowCheck } from "./layout.ts";
import { ID_RULE, type IdChoice, isId, RowIds } from "./row-ids.ts";

/**
 * Checks the rows of one file, each by a schema and by the ids before it.
 *
 * @param complete makes an item of valid values, or says what is wrong with them together
 */
export function rowChecker<Values, Item extends { readonly id?: bigint }>(
  choice: IdChoice,
  schema: z.ZodType<Values>,
  complete: (values: Values) => Item | string,
): RowCheck<Item> {
  const ids = new RowIds(choice);
  return (row) => {
    const { id } = row;
    const checked = schema.safeParse(row);
    const problems = checked.success ? [] : problemsOf(checked.error, row);
    if (id !== undefined && !isId(id)) problems.unshift(`\`id\` ${ID_RULE}`);
    if (!checked.success || problems.length > 0) return problems.join("; ");
    const item = complete(checked.data);
    return typeof item === "string" ? item : ids.take(isId(id) ? id : undefined, item);
  };
}
