import { linkTo } from "../../../client/link.ts";
import { type CallResponse, headerOf } from "../browser/call.ts";
import { parseExact } from "../model/exact-json.ts";

export const STATUSES = ["available", "pending", "sold"] as const;

export interface Animal {
  /** A bigint where a double would round it. */
  readonly id: number | bigint;
  readonly name: string;
  readonly categoryId: number | bigint;
  readonly status: string;
}

/** An Error of the service. */
interface Refusal {
  readonly code: string;
  readonly message: string;
}

export function animalOf(response: CallResponse): Animal {
  return parseExact(response.body) as Animal;
}

export function animalsOf(response: CallResponse): readonly Animal[] {
  return parseExact(response.body) as readonly Animal[];
}

/** The Error that a response carries; a proxy's own refusals carry none. */
export function refusalOf({ status, body }: CallResponse): Refusal {
  try {
    const { code, message } = JSON.parse(body) as Partial<Refusal>;
    if (typeof code === "string" && typeof message === "string") return { code, message };
  } catch {
    // Not JSON, so not from the service itself.
  }
  return { code: "", message: `Something on the way answered with the status ${status}.` };
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
