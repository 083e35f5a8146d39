import { readJson, withInt64 } from "../../client/exact-json.ts";
import { linkTo } from "../../client/link.ts";
import type { Operation } from "../../client/operation.ts";
import { type CallResponse, headerOf } from "../browser/call.ts";

/**
 * What an operation returned; `undefined` if it failed, or if the body is something else and so is not from the service
 * itself.
 */
export function resultOf<Result extends object>(
  response: CallResponse | undefined,
  { shape }: Operation<Result>,
): Result | undefined {
  if (!response || response.status >= 300) return undefined;
  try {
    const result = withInt64(readJson(response.body), shape) as Result;
    return Array.isArray(result) || "id" in result ? result : undefined;
  } catch {
    return undefined;
  }
}

/** The target of a `Link` with the relation `next` (RFC 8288). */
export function nextOf(response: CallResponse): string | undefined {
  return linkTo("next", headerOf(response, "link") ?? null);
}
