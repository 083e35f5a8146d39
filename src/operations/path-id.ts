import { Failure } from "../domain/failure.ts";
import { parsePositiveInt64 } from "../domain/int64.ts";
import type { Parameter } from "./operation.ts";

/** The animal or order that a path names. A text that is not an id names nothing: 404, not 400. */
export function pathId(noun: "animal" | "order"): Parameter<bigint> {
  return {
    in: "path",
    description: `The ${noun}'s identifier: a positive integer in plain decimal.`,
    schema: { type: "integer", format: "int64", minimum: 1 },
    example: 1,
    read: (text = "") => parsePositiveInt64(text) ?? new Failure(`${noun}_not_found`, { id: text }),
  };
}
