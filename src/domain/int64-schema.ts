import { z } from "zod";
import { INT64_MAX, INT64_MIN } from "./int64.ts";

/** Any signed 64-bit integer. */
export const int64Schema = z.custom<bigint>((value) => typeof value === "bigint", {
  error: `must be an integer from ${INT64_MIN} to ${INT64_MAX}`,
});
