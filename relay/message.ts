import { createHash } from "node:crypto";
import type { StoreEvent } from "../client/events.ts";
import { writeJson } from "../client/exact-json.ts";

/** An event as it is delivered. */
export interface Message {
  /** `webhook-id`: the same whenever this event of this store is delivered. */
  readonly id: string;
  /** The event as JSON, as the feed has it. */
  readonly body: string;
  readonly event: StoreEvent;
}

/** Characters of the digest: 80 bits tell the events of two stores apart that have the same number. */
export const DIGEST_LENGTH = 20;

export function messageOf(event: StoreEvent): Message {
  return { id: webhookId(event), body: writeJson(event) as string, event };
}

/**
 * The API names no store. What never changes of an event does: its number, type, moment and animal or order are hardly
 * ever the same in two stores, and stay the same when a store moves to another address, machine or engine. A position
 * file that is lost changes nothing either.
 */
function webhookId({ id, type, at, animal, order }: StoreEvent): string {
  const facts = `${id} ${type} ${at} ${(animal ?? order)?.id}`;
  return `evt_${id}_${createHash("sha256").update(facts).digest("hex").slice(0, DIGEST_LENGTH)}`;
}
