import { EVENT_TYPES } from "../../contract/event.ts";
import { ACCEPTED, type EventModel } from "./event-model.ts";
import { METHODS } from "./generate-anywhere.ts";
import { readHeaders } from "./generate-headers.ts";
import { pageQuery } from "./generate-query.ts";
import type { FuzzRequest } from "./request.ts";
import type { Source } from "./source.ts";

const LAST_EVENT_IDS = "0 1 -1 01 1.0 abc 9223372036854775807 9223372036854775808 1,2 \xb2".split(" ");
const WRONG_TYPES = ["order", "Order.placed", "", "order.placed,animal.created"];
const STARTS = ["oldest", "latest", "latest", "now", ""].map((start) => `from=${start}`);

/** A request for a page of the feed, or for a stream. */
export function listEvents(source: Source, events: EventModel): FuzzRequest {
  const { random } = source;
  const { chance, pick } = random;
  const headers = readHeaders(source).filter(([name]) => name !== "Accept");
  if (chance(0.7)) headers.push(["Accept", pick(["text/event-stream", ...ACCEPTED.keys()])]);
  const last = chance(0.7) ? `${events.anId(random)}` : pick(LAST_EVENT_IDS);
  if (chance(0.4)) headers.push(["Last-Event-ID", last]);
  const filters = { type: { valid: () => pick(EVENT_TYPES), wrong: WRONG_TYPES } };
  const query = pageQuery(random, events.positions, filters, STARTS);
  return {
    kind: "events",
    method: chance(0.9) ? "GET" : chance(0.5) ? "HEAD" : pick(METHODS),
    target: `/v1/events${query}`,
    headers,
  };
}
