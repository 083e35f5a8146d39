import { z } from "zod";
import { EXAMPLE_ANIMAL } from "../domain/animal.ts";
import { EVENT_TYPES, type EventType, endOf } from "../domain/change-event.ts";
import { eventSchema } from "../domain/change-event-schema.ts";
import { Failure } from "../domain/failure.ts";
import { parsePositiveInt64 } from "../domain/int64.ts";
import { andThen } from "../domain/maybe-promise.ts";
import { LIMIT_MAX } from "../domain/page.ts";
import { representEvent } from "./event-representation.ts";
import { cursor, invalidCursor, limit, oneOf, queryOf } from "./list-parameters.ts";
import { operation, type Parameter } from "./operation.ts";
import { EXAMPLE_ORDER } from "./order-representation.ts";

const type = oneOf(EVENT_TYPES, {
  name: "type",
  description:
    "Return only events of this type. Omit it to return all that the key may read: without the scope `orders:read`, " +
    "events of orders are left out.",
  schema: { $ref: "#/components/schemas/EventType" },
});

const STARTS = ["oldest", "latest"] as const;

const from = oneOf(STARTS, {
  name: "from",
  description:
    "Where to start without a `cursor` or a `Last-Event-ID`: with the oldest event that is kept, or after the latest. A " +
    "page after the latest is empty; its `Link` leads to what comes next.",
  schema: { type: "string", enum: STARTS, default: "oldest" },
});

const lastEventId: Parameter<bigint | undefined> = {
  in: "header",
  description:
    "For a stream: the `id` of the last event that the client has received. The stream resumes after it: `cursor` and " +
    "`from` must be valid, but have no effect. Clients of server-sent events send this header when they reconnect.",
  schema: { type: "string", minLength: 1, maxLength: 19, pattern: "^(0|[1-9][0-9]{0,18})$" },
  read: (text) => {
    if (text === undefined) return undefined;
    const id = text === "0" ? 0n : parsePositiveInt64(text);
    const rule = "must be the id of an event, in plain decimal";
    return id ?? new Failure("invalid_header", { name: "Last-Event-ID", rule });
  },
};

// Made once: streams with the same array share what is read and written for them.
const OF_ANIMALS = EVENT_TYPES.filter((type) => !isOfOrder(type));
const ONLY = Object.fromEntries(EVENT_TYPES.map((type) => [type, [type]])) as Record<EventType, [EventType]>;

const REX = { ...EXAMPLE_ANIMAL, id: EXAMPLE_ORDER.petId, status: "pending" };

export const listEvents = operation({
  id: "listEvents",
  tag: "Events",
  method: "GET",
  path: "/events",
  summary: "Read the feed of changes",
  description:
    "Returns changes to animals and orders, oldest first, as a page or, with `Accept: text/event-stream`, as a stream. " +
    "A client that has seen an event has seen all before it.\n\n" +
    'The `Link` header of every page, the last one included, holds the URL of what follows with `rel="next"`: a page ' +
    "that is empty has no news yet.\n\n" +
    "A stream sends server-sent events: `id` is the event's id, `event` its type, `data` the event as JSON on one line. " +
    "It sends a comment every 15 seconds. It ends when the key, its scope or the service does; reconnect with the last " +
    "`id` in `Last-Event-ID` to miss nothing. A client that does not read is cut off.\n\n" +
    "Events are kept for some days. If events after a position are gone, the response is 410: request a page with " +
    "`from=latest`, then read the lists of animals and orders, then continue from the `Link` of that page.",
  stability: "experimental",
  scope: "events:read",
  streams: true,
  parameters: { limit, type, from, cursor, "Last-Event-ID": lastEventId },
  responses: {
    200: {
      description: "A page of events, or a stream of them.",
      schema: z.array(eventSchema).max(LIMIT_MAX),
      headers: ["Link"],
      example: [
        { id: 41n, type: "order.placed", at: EXAMPLE_ORDER.placedAt, order: EXAMPLE_ORDER },
        { id: 42n, type: "animal.status_changed", at: EXAMPLE_ORDER.placedAt, animal: REX },
      ],
    },
  },
  failures: ["invalid_parameter", "invalid_header", "events_expired", "not_ready"],
  run({ store, cursors }, { caller, parameters, isStream }) {
    const { limit, type, from, cursor, "Last-Event-ID": lastEventId } = parameters;
    const mayReadOrders = caller.scopes.includes("orders:read");
    if (type !== undefined && isOfOrder(type) && !mayReadOrders) {
      return new Failure("insufficient_scope", { scope: "orders:read" });
    }
    const types = type ? ONLY[type] : mayReadOrders ? EVENT_TYPES : OF_ANIMALS;
    const scope = { list: "listEvents", filter: queryOf({ type }) };
    const position = cursor === undefined ? undefined : cursors.read(cursor, scope);
    if (cursor !== undefined && position === undefined) return invalidCursor();
    const resumed = isStream ? lastEventId : undefined;
    const after = resumed ?? position;
    const read =
      from === "latest" && after === undefined
        ? andThen(store.newestEventId(), (newest) => ({ items: [], more: false, newest }))
        : store.listEvents({ types, after, limit });
    return andThen(read, (page) => {
      if (page === "expired") return new Failure("events_expired", {});
      if (isStream) return { status: 200, value: undefined, stream: { types, page } };
      const next = queryOf({ limit, type, cursor: cursors.issue(endOf(page), scope) });
      return { status: 200, value: page.items.map(representEvent), next, isPersonal: true };
    });
  },
});

function isOfOrder(type: EventType): boolean {
  return type.startsWith("order.");
}
