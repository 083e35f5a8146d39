import type { EventType } from "../../domain/change-event.ts";
import { ANIMAL, EVENT_ARRAYS } from "../tables.ts";

/** The columns of events that hold animals, in the order of `ANIMAL`. */
const ARRAYS = ANIMAL.columns.map(({ member }) => EVENT_ARRAYS[member]);

const SEQUENCE = "'animal_store.event_id_seq'";

/**
 * An expression for the id of the last of some new events, in a transaction that has locked the feed. It calls `nextval`
 * once, since a call for each event would take a tenth of what the feed adds to a create. That call logs the sequence 32
 * ids ahead: docs/decisions/0012-lost-events.md. `CASE` keeps the order of the calls.
 *
 * @param count a column with the number of events, of a row that exists only once the feed is locked
 */
function lastEventId(count: string): string {
  const others = `coalesce(pg_sequence_last_value(${SEQUENCE}), 1) + ${count} - 1`;
  return `CASE WHEN setval(${SEQUENCE}, ${others}) > 0 THEN nextval(${SEQUENCE}) END`;
}

/**
 * Inserts one row with an event for each of some animals, if there are any.
 *
 * @param time an expression for the milliseconds since 1970
 * @param events a query for the number of the events as `events`, and for an array of each column of the animals, in the order
 *   of `ANIMAL`; it must return nothing before the feed is locked
 */
export function insertAnimalEvents(type: EventType, time: string, events: string): string {
  return `
    INSERT INTO animal_store.event (id, type, at, events, ${ARRAYS})
    SELECT ${lastEventId("created.events")}, '${type}', ${time}::bigint, created.*
      FROM (${events}) AS created WHERE created.events > 0`;
}

/** The events of some animals for `insertAnimalEvents`. @param animals a query for their columns */
export function eventsOf(animals: string): string {
  return `SELECT count(*) AS events, ${ANIMAL.columns.map(({ name }) => `array_agg(${name})`)}
            FROM (${animals}) AS animal`;
}
