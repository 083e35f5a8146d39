// The contract as a model: which responses a request may get, given all responses before. It is written from the contract
// and shares no code with src/, so it does not share its mistakes.
import { animalOf, type Content, isSame, parseExact, STATUSES, type Status } from "../animal.ts";
import { ContractViolation } from "../contract-violation.ts";
import type { Random } from "../random.ts";
import { judgeBody } from "./body-model.ts";
import { EventModel } from "./event-model.ts";
import { decode, type Expectation, isLimit, nextOf, parseQuery, type Query, singles } from "./expectation.ts";
import { CONTENT_CODINGS, MEDIA_TYPES } from "./media-types.ts";
import { isMergePatch, isOrderable, OrderModel } from "./order-model.ts";
import { Positions } from "./positions.ts";
import { type FuzzRequest, headerOf } from "./request.ts";

interface Stored extends Content {
  readonly id: number;
}

const PAGES: ReadonlyMap<string, string> = new Map([
  ["/", "200"],
  ["/docs", "200"],
  ["/livez", "200"],
  ["/readyz", "200"],
  ["/healthz", "200"],
  ["/openapi.json", "200"],
]);

/** What the service offers beside animals. */
export interface Offer {
  readonly hasOrders: boolean;
  readonly hasEvents: boolean;
}

export class Model {
  /** By API key: its scopes. */
  readonly #keys: ReadonlyMap<string, readonly string[]>;
  readonly #animals = new Map<number, Stored>();
  /** The highest id known, of all and of each status. */
  readonly #highest = new Map<Status | undefined, number>();
  readonly positions = new Positions(["status"]);
  readonly #retries = new Map<string, Stored>();
  readonly #retryKeys: string[] = [];
  readonly #tags = new Map<number, string>();
  /** The number of creates that may have been stored. */
  #doubtful = 0;

  /** The part of the model for orders; `undefined` if the service offers none. */
  readonly orders: OrderModel | undefined;
  /** The part of the model for the feed; `undefined` if the service offers none. */
  readonly events: EventModel | undefined;

  constructor(keys: ReadonlyMap<string, readonly string[]>, { hasOrders, hasEvents }: Offer) {
    this.#keys = keys;
    this.events = hasEvents ? new EventModel() : undefined;
    this.orders = hasOrders
      ? new OrderModel({
          isAvailable: (id) => {
            const animal = this.#animals.get(id);
            return animal && animal.status === "available";
          },
          mayExist: (id) => id > 0n && id <= BigInt(this.#highestPossible),
        })
      : undefined;
  }

  /** Animals up to this id may exist: some are on their way, or were stored without an answer. */
  get #highestPossible(): number {
    return (this.#highest.get(undefined) ?? 0) + 10_000;
  }

  /** Whether an animal is as it was created; another may have been ordered, which changes its status. */
  #isSteady(id: number): boolean {
    return this.orders === undefined || !isOrderable(id);
  }

  #isSame(known: Stored, seen: Stored): boolean {
    return isSame(this.#isSteady(known.id) ? known : { ...known, status: seen.status }, seen);
  }

  get size(): number {
    return this.#animals.size;
  }

  doubt(creates: number): void {
    this.#doubtful += creates;
  }

  // What the generator may build on.

  /** The highest id of an animal. */
  get highest(): number {
    return this.#highest.get(undefined) ?? 1;
  }

  anId(random: Random): number {
    return random.between(1, this.highest);
  }

  /** An `Idempotency-Key` that created an animal, and the content of that animal. */
  aRetry(random: Random): { readonly key: string; readonly content: Content } | undefined {
    if (this.#retryKeys.length === 0) return undefined;
    const key = random.pick(this.#retryKeys);
    return { key, content: this.#retries.get(key) as Content };
  }

  aTag(id: number): string | undefined {
    return this.#tags.get(id);
  }

  // What must be answered, by the order of checks that the contract gives.

  expect(request: FuzzRequest): Expectation {
    const { method, target } = request;
    const mark = target.indexOf("?");
    const path = mark < 0 ? target : target.slice(0, mark);
    const isPreflight =
      method === "OPTIONS" &&
      headerOf(request, "origin") !== undefined &&
      headerOf(request, "access-control-request-method") !== undefined;
    if (isPreflight) return { outcomes: ["204"] };
    if (path !== "/v1" && !path.startsWith("/v1/")) return expectPage(method, path);

    const scopes = this.#scopesOf(headerOf(request, "authorization"));
    const segments = path.split("/").slice(2).map(decode);
    const [resource, item] = segments;
    const isItem = segments.length === 2 && resource === "pets" && item !== "";
    const deprecated = isItem && item !== undefined && isRead(method);
    const refused = (...outcomes: string[]): Expectation => ({ outcomes, deprecated });

    if (!scopes) return refused("401 unauthorized");
    const query = parseQuery(mark < 0 ? "" : target.slice(mark + 1));
    // In a path 404 is as good.
    if (segments.includes(undefined)) return refused("400 malformed_escape", "404 path_not_found");
    if (!query) return refused("400 malformed_escape");
    if (this.orders && resource === "orders" && segments.length <= 2 && item !== "")
      return this.#expectOrders(request, this.orders, scopes, item, query);
    if (this.events && resource === "events" && segments.length === 1) {
      if (!isRead(method)) return refused("405 method_not_allowed");
      if (!scopes.includes("events:read")) return refused("403 insufficient_scope");
      return this.events.expect(request, query);
    }
    const isList = segments.length === 1 && resource === "pets";
    if (!isList && !isItem) return refused("404 path_not_found");
    const creates = isList && method === "POST";
    if (!creates && !isRead(method)) return refused("405 method_not_allowed");
    if (!scopes.includes(creates ? "pets:write" : "pets:read")) return refused("403 insufficient_scope");
    if (creates) return this.#expectCreate(request);
    return isItem ? this.#expectItem(request, item as string) : this.#expectList(request, query);
  }

  #expectOrders(
    request: FuzzRequest,
    orders: OrderModel,
    scopes: readonly string[],
    item: string | undefined,
    query: Query,
  ): Expectation {
    const { method } = request;
    const writes = method === (item === undefined ? "POST" : "PATCH");
    if (!writes && !isRead(method)) return { outcomes: ["405 method_not_allowed"] };
    if (!scopes.includes(writes ? "orders:write" : "orders:read"))
      return { outcomes: ["403 insufficient_scope"] };
    if (!writes)
      return item === undefined ? orders.expectList(request, query) : orders.expectItem(request, item);
    return this.#expectBody(request, item !== undefined, (body) => {
      if (item !== undefined) return orders.expectUpdate(item, body);
      return this.#expectKeyed(request, (key) => {
        const isKeyTaken = key !== undefined && this.#retries.has(key);
        return orders.expectPlacing(request, body, isKeyTaken);
      });
    });
  }

  #scopesOf(authorization: string | undefined): readonly string[] | undefined {
    const [scheme, key, ...rest] = authorization?.split(/ +/) ?? [];
    if (scheme?.toLowerCase() !== "bearer" || key === undefined || rest.length > 0) return undefined;
    return this.#keys.get(key);
  }

  #expectCreate(request: FuzzRequest): Expectation {
    return this.#expectBody(request, false, (body) =>
      this.#expectKeyed(request, (key) => this.#expectContent(judgeBody(body), key)),
    );
  }

  /** Expects the response to a request with a body: its media type and content coding are checked first. */
  #expectBody(
    request: FuzzRequest,
    isPatch: boolean,
    expectRead: (body: Uint8Array) => Expectation,
  ): Expectation {
    const { body = new Uint8Array() } = request;
    const type = headerOf(request, "content-type");
    const isKnown = type === undefined || (isPatch && isMergePatch(type));
    const isRead = isKnown ? type !== undefined || body.length === 0 : MEDIA_TYPES.get(type);
    const isPlain = CONTENT_CODINGS.get(headerOf(request, "content-encoding") ?? "") ?? true;
    const encoded = isPlain ? [] : ["415 unsupported_content_encoding"];
    const refused = ["415 unsupported_media_type", ...encoded];
    if (isRead === false) return { outcomes: refused };
    if (!isPlain) return { outcomes: isRead ? encoded : refused };
    const expectation = expectRead(body);
    if (isRead) return expectation;
    return {
      ...(expectation.check && { check: expectation.check }),
      get outcomes() {
        return [...expectation.outcomes, "415 unsupported_media_type"];
      },
    };
  }

  /** A request that may have an `Idempotency-Key`: a bad body and a bad key may be refused in either order. */
  #expectKeyed(request: FuzzRequest, expectWith: (key: string | undefined) => Expectation): Expectation {
    const key = headerOf(request, "idempotency-key");
    const isBad = key !== undefined && (!/^[\x20-\x7e]{1,255}$/.test(key) || key.includes(", "));
    if (!isBad) return expectWith(key);
    const ofBody = expectWith(undefined).outcomes.filter((outcome) => /^4(?:00|13) /.test(outcome));
    return { outcomes: ["400 invalid_header", ...ofBody] };
  }

  #expectContent(content: Content | string, key: string | undefined): Expectation {
    if (content === "body_too_large") return { outcomes: ["413 body_too_large"] };
    if (typeof content === "string") return { outcomes: [`400 ${content}`] };
    if (key !== undefined && this.orders?.hasKey(key)) return { outcomes: ["422 idempotency_key_reused"] };
    const earlier = key === undefined ? undefined : this.#retries.get(key);
    if (earlier && !isSame(earlier, content)) return { outcomes: ["422 idempotency_key_reused"] };
    const highestBefore = this.#highest.get(undefined) ?? 0;
    return {
      outcomes: ["201"],
      check: (body, { headers }) => {
        const stored = storedOf(parseExact(body));
        if (!isSame(stored, content)) throw new ContractViolation("another animal was stored than was sent");
        if (headers.get("location") !== `/v1/pets/${stored.id}`)
          throw new ContractViolation("Location is not of this animal");
        if (earlier) {
          if (stored.id !== earlier.id)
            throw new ContractViolation(`the first answer had the id ${earlier.id}`);
          return;
        }
        if (stored.id <= highestBefore)
          throw new ContractViolation(`ids ascend, and ${highestBefore} was given before`);
        this.learn(stored);
        if (key === undefined) return;
        this.#retries.set(key, stored);
        this.#retryKeys.push(key);
      },
    };
  }

  /** Records an acknowledged animal. */
  learn(stored: Stored): void {
    if (this.#animals.has(stored.id)) throw new ContractViolation(`the id ${stored.id} was given twice`);
    this.#animals.set(stored.id, stored);
    for (const filter of this.#isSteady(stored.id) ? [undefined, stored.status] : [undefined]) {
      this.#highest.set(filter, Math.max(stored.id, this.#highest.get(filter) ?? 0));
    }
  }

  #expectItem(request: FuzzRequest, text: string): Expectation {
    const missing = { outcomes: ["404 animal_not_found"], deprecated: true };
    if (!/^[1-9][0-9]*$/.test(text) || BigInt(text) > 2n ** 63n - 1n) return missing;
    const id = Number(text);
    const known = this.#animals.get(id);
    // An unknown animal may be on its way, or was stored without an answer.
    if (!known && id > this.#highestPossible) return missing;
    const condition = headerOf(request, "if-none-match");
    const tag = this.#tags.get(id);
    const notModified = condition === "*" || (tag !== undefined && condition?.includes(tag));
    const status = notModified && known ? "304" : "200";
    const isSteady = known !== undefined && this.#isSteady(id);
    const outcomes = isSteady ? [status] : ["200", "304", ...(known ? [] : missing.outcomes)];
    return {
      outcomes,
      deprecated: true,
      check: (body, { headers, status }) => {
        const given = headers.get("etag") ?? "";
        if (!/^"[\x21\x23-\x7e]+"$/.test(given)) throw new ContractViolation("the ETag is no strong one");
        if (isSteady) {
          if (tag !== undefined && tag !== given)
            throw new ContractViolation(`an unchanged animal had the tag ${tag}`);
          this.#tags.set(id, given);
        }
        if (status === 304 || request.method === "HEAD") return;
        const stored = storedOf(parseExact(body));
        if (stored.id !== id || (known && !this.#isSame(known, stored)))
          throw new ContractViolation("it is another animal");
      },
    };
  }

  #expectList(request: FuzzRequest, query: Query): Expectation {
    const invalid = { outcomes: ["400 invalid_parameter"] };
    const given = singles(query, ["limit", "status", "cursor"]);
    if (!given) return invalid;
    const [limitText = "20", statusText, cursor] = given;
    if (!isLimit(limitText)) return invalid;
    const limit = Number(limitText);
    const filter = statusText as Status | undefined;
    if (filter !== undefined && !STATUSES.includes(filter)) return invalid;
    const after = this.positions.after(cursor, { status: filter });
    if (after === undefined) return invalid;
    const highestBefore = this.#highest.get(filter) ?? 0;
    const outcomes = headerOf(request, "if-none-match") === undefined ? ["200"] : ["200", "304"];
    return {
      outcomes,
      check: (body, { headers, status }) => {
        if (status !== 200 || request.method === "HEAD") return;
        const list = parseExact(body);
        if (!Array.isArray(list)) throw new ContractViolation("it is no array");
        const page = list.map(storedOf);
        const next = nextOf(headers.get("link"), "/pets");
        this.#checkPage(page, after, filter);
        if (page.length > limit) throw new ContractViolation(`there are more than ${limit}`);
        const last = page.at(-1)?.id ?? after;
        const more = highestBefore > last;
        if (more && next === undefined)
          throw new ContractViolation("more follow, and there is no link to them");
        if (next === undefined) return;
        if (page.length < limit)
          throw new ContractViolation("a page that is not full has a link to the next");
        this.positions.learn(next, last, limitText, { status: filter });
      },
    };
  }

  /** Asserts that a page has each known animal that belongs there, in order and unchanged. */
  #checkPage(page: readonly Stored[], after: number, filter: Status | undefined): void {
    let before = after;
    for (const stored of page) {
      if (stored.id <= before) throw new ContractViolation(`the id ${stored.id} comes after ${before}`);
      if (filter !== undefined && stored.status !== filter)
        throw new ContractViolation(`animal ${stored.id} is not ${filter}`);
      for (let id = before + 1; id < stored.id; id++) {
        const missed = this.#animals.get(id);
        if (missed && (filter === undefined || (this.#isSteady(id) && missed.status === filter)))
          throw new ContractViolation(`animal ${id} is missing`);
      }
      const known = this.#animals.get(stored.id);
      if (known && !this.#isSame(known, stored))
        throw new ContractViolation(`animal ${stored.id} is not as it was stored`);
      before = stored.id;
    }
  }

  /**
   * Compares the whole stock with everything that was answered.
   *
   * @param stock each animal, as the pages have them
   */
  checkStock(stock: Iterable<Stored>): void {
    let found = 0;
    let unknown = 0;
    for (const stored of stock) {
      const known = this.#animals.get(stored.id);
      if (known && !this.#isSame(known, stored))
        throw new ContractViolation(`animal ${stored.id} is not as it was stored`);
      if (known) found++;
      else unknown++;
    }
    if (found < this.#animals.size)
      throw new ContractViolation(`${this.#animals.size - found} acknowledged animals are gone`);
    if (unknown > this.#doubtful)
      throw new ContractViolation(`${unknown - this.#doubtful} animals are there that nobody sent`);
  }
}

/** An animal of an answer, with its id as a number: the stock of a run is small enough. */
export function storedOf(value: unknown): Stored {
  const animal = animalOf(value);
  return { ...animal, id: Number(animal.id) };
}

function isRead(method: string): boolean {
  return method === "GET" || method === "HEAD";
}

function expectPage(method: string, path: string): Expectation {
  const page = PAGES.get(path);
  // The contract does not say whether an escaped path is the same path.
  if (!page && path.includes("%")) return { outcomes: ["404 path_not_found", "400 malformed_escape", "200"] };
  if (!page) return { outcomes: ["404 path_not_found"] };
  return { outcomes: isRead(method) ? [page, "304"] : ["405 method_not_allowed"] };
}
