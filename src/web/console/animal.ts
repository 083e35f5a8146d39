import { linkTo } from "../../../client/link.ts";
import { type CallResponse, headerOf } from "../browser/call.ts";
import type { Refusal } from "../browser/refusal.ts";
import { parseExact } from "../model/exact-json.ts";

export const STATUSES = ["available", "pending", "sold"] as const;

export interface Animal {
  /** A bigint where a double would round it. */
  readonly id: number | bigint;
  readonly name: string;
  readonly categoryId: number | bigint;
  readonly status: string;
}

/** The animal in a body; `undefined` where the body has none, so that it is not from the service itself. */
export function animalOf({ body }: CallResponse): Animal | undefined {
  const value = jsonOf(body) as Animal | undefined;
  return value?.id === undefined ? undefined : value;
}

/** The animals in a body; `undefined` where the body is no list, so that it is not from the service itself. */
export function animalsOf({ body }: CallResponse): readonly Animal[] | undefined {
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

/** What the service says of each member of a body, by the member's name; the rest under an empty name. */
export function faultsOf({ code, message }: Refusal): ReadonlyMap<string, string> {
  if (code !== "invalid_body") return new Map([["", message]]);
  const faults = [...message.replace(/\.$/, "").matchAll(/(?:^|; )`(\w+)` (.+?)(?=; `|$)/g)];
  return faults.length === 0
    ? new Map([["", message]])
    : new Map(faults.map(([, name = "", fault = ""]) => [name, capitalized(fault)]));
}

function capitalized(text: string): string {
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}.`;
}
