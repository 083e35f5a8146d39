import { linkTo } from "../../../client/link.ts";
import { type CallResponse, headerOf } from "../browser/call.ts";
import { parseExact } from "../model/exact-json.ts";

/** An integer of 64 bits: a bigint where a double would round it. */
export type Int64 = number | bigint;

/** The resource in a body; `undefined` if the body has none, and so is not from the service itself. */
export function itemOf<Item extends { readonly id: Int64 }>({ body }: CallResponse): Item | undefined {
  const value = jsonOf(body) as Item | undefined;
  return value?.id === undefined ? undefined : value;
}

/** The list in a body; `undefined` if the body is no list, and so is not from the service itself. */
export function itemsOf<Item>({ body }: CallResponse): readonly Item[] | undefined {
  const value = jsonOf(body);
  return Array.isArray(value) ? value : undefined;
}

function jsonOf(body: string): unknown {
  try {
    return parseExact(body) ?? undefined;
  } catch {
    return undefined;
  }
}

/** The target of a `Link` with the relation `next` (RFC 8288). */
export function nextOf(response: CallResponse): string | undefined {
  return linkTo("next", headerOf(response, "link") ?? null);
}
