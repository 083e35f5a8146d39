import { INT64_MAX } from "../../contract/animal.ts";
import { ContractViolation } from "../../contract/contract-violation.ts";
import { EVENT_TYPES, type FeedEvent } from "../../contract/event.ts";
import { EVENTS } from "../../contract/lists.ts";
import type { Random } from "../random.ts";
import type { Expectation, Query } from "./expectation.ts";
import { ListModel, type PageShown } from "./list-model.ts";
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

/** Ids this far above the highest known one may have been assigned meanwhile. */
const UNSEEN_MAX = 100_000;

/** The part of the model that knows the feed of changes. */
export class EventModel {
  /** By id: all that is known of an event. */
  readonly #events = new Map<number, FeedEvent>();
  readonly #list = new ListModel(EVENTS, { type: (value) => EVENT_TYPES.some((type) => type === value) });
  readonly positions = this.#list.positions;
  #highest = 0;
  #lowest = Number.POSITIVE_INFINITY;

  /** The id of an event, mostly of a known one, for the generator. */
  anId(random: Random): number {
    return random.between(Math.min(this.#lowest, this.#highest), this.#highest);
  }

  expect(request: FuzzRequest, query: Query): Expectation {
    const last = headerOf(request, "last-event-id");
    const isBadHeader =
      last !== undefined && !(/^(?:0|[1-9][0-9]{0,18})$/.test(last) && BigInt(last) <= INT64_MAX);
    const [from = "oldest", ...others] = query.get("from") ?? [];
    const isBadStart = others.length > 0 || !["oldest", "latest"].includes(from);
    const page = this.#expectPage(request, query, from === "latest" && !query.has("cursor"));
    const isInvalid = isBadStart || page.outcomes.includes("400 invalid_parameter");
    const refused = [
      ...(isInvalid ? ["400 invalid_parameter"] : []),
      ...(isBadHeader ? ["400 invalid_header"] : []),
    ];
    if (refused.length > 0) return { outcomes: refused };
    return ACCEPTED.get(headerOf(request, "accept") ?? "") ? this.#expectStream(last) : page;
  }

  /** A stream does not end, so only its head is judged. */
  #expectStream(last: string | undefined): Expectation {
    const id = last === undefined ? undefined : Number(last);
    const isThere = id === undefined || this.#events.has(id);
    const isLost = id !== undefined && id > this.#highest + UNSEEN_MAX;
    const outcomes = isLost ? [] : ["200"];
    return {
      outcomes: isThere ? outcomes : [...outcomes, "410 events_expired"],
      check: (_, { headers }) => {
        if (headers.get("content-type") !== "text/event-stream")
          throw new ContractViolation(`a stream is ${headers.get("content-type")}`);
        if (!headers.get("cache-control")?.includes("no-store"))
          throw new ContractViolation("a stream may be kept");
        if (headers.has("etag") || headers.has("link"))
          throw new ContractViolation("a stream has the headers of a page");
      },
    };
  }

  /** @param startsLatest whether the page begins after the latest event: it does not say which event that is */
  #expectPage(request: FuzzRequest, query: Query, startsLatest: boolean): Expectation {
    const begin = ({ type }: { readonly type: string | undefined }, after: number) => {
      return ({ items }: PageShown<FeedEvent>) => {
        if (startsLatest && items.length > 0) throw new ContractViolation(`there are ${items.length}`);
        let last = after;
        for (const event of items) {
          this.#expectNone(last, Number(event.id), type);
          last = Number(event.id);
          this.#learn(event);
        }
      };
    };
    return this.#list.expect(request, query, begin, !startsLatest);
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
