import { EVENT_TYPES } from "../event.ts";
import type { Random } from "../random.ts";
import type { EventModel } from "./event-model.ts";

const LAST_EVENT_IDS = [
  "0",
  "1",
  "-1",
  "01",
  "1.0",
  "abc",
  "9223372036854775807",
  "9223372036854775808",
  "1, 2",
  "\xb2",
];

/** A `Last-Event-ID`, mostly the id of an event. */
export function lastEventId(random: Random, events: EventModel): string {
  return random.chance(0.7) ? `${events.anId(random)}` : random.pick(LAST_EVENT_IDS);
}

/** The query of a page of events, mostly valid. */
export function eventQuery(random: Random, events: EventModel): string {
  const chance = random.chance.bind(random);
  const position = chance(0.5) ? events.positions.any(random) : undefined;
  const pairs: string[] = [];
  if (chance(0.6))
    pairs.push(`limit=${chance(0.9) ? random.between(1, 100) : random.pick(["0", "101", "x"])}`);
  const type = position ? position.filters.type : chance(0.3) ? random.pick(EVENT_TYPES) : undefined;
  if (type !== undefined) pairs.push(`type=${type}`);
  else if (chance(0.05))
    pairs.push(`type=${random.pick(["order", "Order.placed", "", "order.placed,animal.created"])}`);
  if (chance(0.2)) pairs.push(`from=${random.pick(["oldest", "latest", "latest", "now", ""])}`);
  if (position) pairs.push(`cursor=${chance(0.85) ? position.cursor : `${position.cursor}A`}`);
  else if (chance(0.05)) pairs.push(`cursor=${random.pick(["", "AAAA", "%", "0"])}`);
  if (chance(0.05)) pairs.push(random.pick(["x=1", "limit=7", "from=latest", "%6Cimit=5", ...pairs]));
  return pairs.length > 0 ? `?${pairs.join("&")}` : "";
}
