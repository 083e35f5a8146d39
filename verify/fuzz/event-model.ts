// The part of the model that knows the feed of changes.
import { INT64_MAX, parseExact } from "../animal.ts";
import { ContractViolation } from "../contract-violation.ts";
import { EVENT_TYPES, type EventType, eventOf, type FeedEvent } from "../event.ts";
import type { Random } from "../random.ts";
import { type Expectation, isLimit, nextOf, type Query, singles } from "./expectation.ts";
import { Positions } from "./positions.ts";
import { type FuzzRequest, headerOf } from "./request.ts";

/** Values of `Accept`, and whether they ask for a stream. */
export const ACCEPTED: ReadonlyMap<string, boolean> = new Map([
  ["text/event-stream", true],
  ["Text/Event-Stream", true],
  ["text/event-stream;q=0.9, */*;q=0.1", true],
  ["application/json;q=0.1, text/event-stream", true],
  ["text/event-stream;q=0", false],
  ["text/event-stream, application/json", false],
  ["text/event-streams", false],
  ["application/json", false],
  ["*/*", false],
  ["", false],
]);

const STARTS: readonly string[] = ["oldest", "latest"];

export class EventModel {
  /** By id: all that is known of an event. */
  readonly #events = new Map<number, FeedEvent>();
  readonly positions = new Positions(["type"]);
  #highest = 0;
  #lowest = Number.POSITIVE_INFINITY;

  // What the generator may build on.

  /** The id of an event, mostly of a known one. */
  anId(random: Random): number {
    return random.between(Math.min(this.#lowest, this.#highest), this.#highest);
  }

  // What must be answered.

  expect(request: FuzzRequest, query: Query): Expectation {
    const last = headerOf(request, "last-event-id");
    const isBadHeader =
      last !== undefined && !(/^(?:0|[1-9][0-9]{0,18})$/.test(last) && BigInt(last) <= INT64_MAX);
    const refused = [
      ...(this.#isInvalid(query) ? ["400 invalid_parameter"] : []),
      ...(isBadHeader ? ["400 invalid_header"] : []),
    ];
    if (refused.length > 0) return { outcomes: refused };
    const isStream = ACCEPTED.get(headerOf(request, "accept") ?? "") ?? false;
    return isStream ? this.#expectStream(last) : this.#expectPage(request, query);
  }

  #isInvalid(query: Query): boolean {
    const given = singles(query, ["limit", "type", "from", "cursor"]);
    if (!given) return true;
    const [limit = "20", type, from = "oldest", cursor] = given;
    if (!isLimit(limit) || !STARTS.includes(from)) return true;
    if (type !== undefined && !EVENT_TYPES.includes(type as EventType)) return true;
    return this.positions.after(cursor, { type }) === undefined;
  }

  /** A stream does not end, so only its head is judged. */
  #expectStream(last: string | undefined): Expectation {
    const id = last === undefined ? undefined : Number(last);
    const isThere = id === undefined || this.#events.has(id);
    const isLost = id !== undefined && id > this.#highest + 100_000;
    const outcomes = isLost ? [] : ["200"];
    return {
      outcomes: isThere ? outcomes : [...outcomes, "410 events_expired"],
      check: (_, { headers }) => {
        if (headers.get("content-type") !== "text/event-stream")
          throw new ContractViolation(`a stream is ${headers.get("content-type")}`);
        if (!headers.get("cache-control")?.includes("no-store"))
          throw new ContractViolation("a stream may be kept");
        if (headers.has("etag") || headers.has("link")) throw new ContractViolation("a stream is no page");
      },
    };
  }

  #expectPage(request: FuzzRequest, query: Query): Expectation {
    const value = (name: string) => query.get(name)?.[0];
    const [type, cursor] = [value("type"), value("cursor")];
    const limitText = value("limit") ?? "20";
    const startsLatest = cursor === undefined && value("from") === "latest";
    const after = this.positions.after(cursor, { type }) as number;
    return {
      outcomes: headerOf(request, "if-none-match") === undefined ? ["200"] : ["200", "304"],
      check: (body, { headers, status }) => {
        if (status !== 200 || request.method === "HEAD") return;
        const list = parseExact(body);
        if (!Array.isArray(list)) throw new ContractViolation("it is no array");
        const page = list.map(eventOf);
        if (page.length > (startsLatest ? 0 : Number(limitText)))
          throw new ContractViolation(`there are ${page.length}`);
        const next = nextOf(headers.get("link"), "/events");
        if (!next) throw new ContractViolation("a page of the feed has no link to what follows");
        let last = after;
        for (const event of page) {
          if (Number(event.id) <= last) throw new ContractViolation(`event ${event.id} comes after ${last}`);
          if (type !== undefined && event.type !== type)
            throw new ContractViolation(`event ${event.id} is ${event.type}`);
          this.#expectNone(last, Number(event.id), type);
          last = Number(event.id);
          this.#learn(event);
        }
        // A page after the latest event does not say which event that is.
        if (!startsLatest) this.positions.learn(next, last, limitText, { type });
      },
    };
  }

  /** Asserts that a page leaves out no known event between two others. */
  #expectNone(after: number, before: number, type: string | undefined): void {
    for (let id = Math.max(after + 1, this.#lowest); id < before; id++) {
      const missed = this.#events.get(id);
      if (missed && (type ?? missed.type) === missed.type)
        throw new ContractViolation(`event ${id} is missing`);
    }
  }

  #learn(event: FeedEvent): void {
    const id = Number(event.id);
    const known = this.#events.get(id);
    if (known && known.text !== event.text) throw new ContractViolation(`event ${id} is not as it was`);
    this.#events.set(id, event);
    this.#highest = Math.max(this.#highest, id);
    this.#lowest = Math.min(this.#lowest, id);
  }
}
