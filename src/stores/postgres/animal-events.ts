import type { EventType } from "../../domain/change-event.ts";

/**
 * Inserts one row with an event for each of some animals, if there are any.
 *
 * @param time an expression for the milliseconds since 1970
 * @param animals a query for the ids, names, categories and statuses, in the order of the events; it must return nothing
 *   before the feed is locked
 */
export function insertAnimalEvents(type: EventType, time: string, animals: string): string {
  return `
    INSERT INTO animal_store.event (id, type, at, events, animal_ids, names, category_ids, statuses)
    SELECT max(event_id), '${type}', ${time}::bigint, count(*),
           array_agg(id), array_agg(name), array_agg(category_id), array_agg(status)
      FROM (SELECT nextval('animal_store.event_id_seq') AS event_id, each.* FROM (${animals}) AS each) AS numbered
    HAVING count(*) > 0`;
}
