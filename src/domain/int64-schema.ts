import { z } from "zod";
import { INT64_MAX, INT64_MIN } from "./int64.ts";

const int64Schema = z.custom<bigint>((value) => typeof value === "bigint", {
  error: `must be an integer from ${INT64_MIN} to ${INT64_MAX}`,
});

/** A member that holds any signed 64-bit integer. The example is for the OpenAPI document. */
export function int64Member(description: string, example: number) {
  return int64Schema.meta({ description, type: "integer", format: "int64", examples: [example] });
}

/** A member that holds an id of ours, which is positive. */
export function idMember(description: string, example: number) {
  return int64Schema.meta({ description, type: "integer", format: "int64", minimum: 1, examples: [example] });
}
