// The contract as a model: which responses a request may get, given all responses before. It is written from the contract
// and shares no code with src/, so it does not share its mistakes.
import { parseExact } from "../../contract/animal.ts";
import { callerKeyOf } from "../../contract/caller-key.ts";
import { ContractViolation } from "../../contract/contract-violation.ts";
import { AnimalModel } from "./animal-model.ts";
import { EventModel } from "./event-model.ts";
import { decode, type Expectation, parseQuery, type Query } from "./expectation.ts";
import { CONTENT_CODINGS, MEDIA_TYPES, MERGE_PATCH_TYPES } from "./media-types.ts";
import { asksForPets, OrderModel } from "./order-model.ts";
import { type FuzzRequest, headerOf } from "./request.ts";

const PAGES: readonly string[] = ["/", "/docs", "/livez", "/readyz", "/healthz", "/openapi.json"];

/** What the service offers besides animals. */
export interface Offer {
  readonly hasOrders: boolean;
  readonly hasEvents: boolean;
  readonly hasKey: boolean;
}

/** A request below the version, in parts. */
interface Routed {
  readonly request: FuzzRequest;
  readonly scopes: readonly string[];
  readonly query: Query;
  /** The segment after the resource, if there is one. */
  readonly item: string | undefined;
}

export class Model {
  /** By API key: its scopes. */
  readonly #keys: ReadonlyMap<string, readonly string[]>;
  readonly animals: AnimalModel;
  /** The part for orders; `undefined` if the service offers none. */
  readonly orders: OrderModel | undefined;
  /** The part for the feed; `undefined` if the service offers none. */
  readonly events: EventModel | undefined;

  /** Whether the service tells callers what their key is. */
  readonly #hasKey: boolean;

  constructor(keys: ReadonlyMap<string, readonly string[]>, { hasOrders, hasEvents, hasKey }: Offer) {
    this.#keys = keys;
    this.#hasKey = hasKey;
    this.animals = new AnimalModel(hasOrders);
    this.orders = hasOrders ? new OrderModel(this.animals) : undefined;
    this.events = hasEvents ? new EventModel() : undefined;
  }

  /** What a request must get, by the order of checks that the contract gives. */
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

    const segments = path.split("/").slice(2).map(decode);
    const [resource, item] = segments;
    const deprecated = resource === "pets" && segments.length === 2 && item !== undefined && item !== "";
    const refused = (...outcomes: string[]): Expectation => ({
      outcomes,
      deprecated: deprecated && isRead(method),
    });

    const scopes = this.#scopesOf(headerOf(request, "authorization"));
    if (!scopes) return refused("401 unauthorized");
    const query = parseQuery(mark < 0 ? "" : target.slice(mark + 1));
    // In a path 404 is as good.
    if (segments.includes(undefined)) return refused("400 malformed_escape", "404 path_not_found");
    if (!query) return refused("400 malformed_escape");
    const expectation =
      segments.length <= 2 && item !== ""
        ? this.#route(resource, { request, scopes, query, item })
        : undefined;
    if (typeof expectation === "string") return refused(expectation);
    return expectation ?? refused("404 path_not_found");
  }

  /** @returns an outcome where no operation is reached; `undefined` where the path does not exist */
  #route(resource: string | undefined, routed: Routed): Expectation | string | undefined {
    const { request, item, query } = routed;
    const { animals, orders, events } = this;
    const isItem = item !== undefined;
    if (resource === "pets") {
      return operate(routed, "pets", isItem ? undefined : "POST", {
        read: () => (isItem ? animals.expectItem(request, item) : animals.expectList(request, query)),
        write: () => this.#expectCreate(request),
      });
    }
    if (resource === "orders" && orders) {
      return operate(routed, "orders", isItem ? "PATCH" : "POST", {
        read: () => {
          if (asksForPets(query) && !routed.scopes.includes("pets:read"))
            return { outcomes: ["403 insufficient_scope"] };
          return isItem ? orders.expectItem(request, item, query) : orders.expectList(request, query);
        },
        write: () =>
          isItem
            ? expectBody(request, MERGE_PATCH_TYPES, (body) => orders.expectUpdate(request, item, body))
            : this.#expectPlacing(request, orders),
      });
    }
    if (resource === "key" && this.#hasKey && !isItem) return expectKey(routed);
    if (resource === "events" && events && !isItem)
      return operate(routed, "events", undefined, { read: () => events.expect(request, query) });
    return undefined;
  }

  #scopesOf(authorization: string | undefined): readonly string[] | undefined {
    const [scheme, key, ...rest] = authorization?.split(/ +/) ?? [];
    if (scheme?.toLowerCase() !== "bearer" || key === undefined || rest.length > 0) return undefined;
    return this.#keys.get(key);
  }

  #expectCreate(request: FuzzRequest): Expectation {
    return expectKeyedBody(request, (body, key) =>
      this.animals.expectCreate(body, key, this.orders?.keys.get(key) !== undefined),
    );
  }

  #expectPlacing(request: FuzzRequest, orders: OrderModel): Expectation {
    return expectKeyedBody(request, (body, key) =>
      orders.expectPlacing(body, key, this.animals.keys.get(key) !== undefined),
    );
  }
}

/** Expects what a key is told of itself, whatever its scopes. */
function expectKey({ request, scopes }: Routed): Expectation | string {
  if (!isRead(request.method)) return "405 method_not_allowed";
  return {
    outcomes: headerOf(request, "if-none-match") === undefined ? ["200"] : ["200", "304"],
    check: (body, { status }) => {
      if (status !== 200 || request.method === "HEAD") return;
      const told = callerKeyOf(parseExact(body)).scopes.toSorted().join();
      if (told !== scopes.toSorted().join())
        throw new ContractViolation("the scopes are not those of this key");
    },
  };
}

/** Expects the response of an operation, once its method and the scope of the key are judged. */
function operate(
  { request: { method }, scopes }: Routed,
  resource: string,
  writing: string | undefined,
  expect: { read(): Expectation; write?(): Expectation },
): Expectation | string {
  const writes = method === writing;
  if (!writes && !isRead(method)) return "405 method_not_allowed";
  if (!scopes.includes(`${resource}:${writes ? "write" : "read"}`)) return "403 insufficient_scope";
  return writes && expect.write ? expect.write() : expect.read();
}

/**
 * Expects the response to a request with a body: its media type and content coding are checked first.
 *
 * @param types media types that are read in addition to those of every body
 */
function expectBody(
  request: FuzzRequest,
  types: readonly string[],
  expectRead: (body: Uint8Array) => Expectation,
): Expectation {
  const { body = new Uint8Array() } = request;
  const type = headerOf(request, "content-type");
  const isKnown = type === undefined || types.includes(type);
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
function expectKeyedBody(
  request: FuzzRequest,
  expectRead: (body: Uint8Array, key: string | undefined) => Expectation,
): Expectation {
  const key = headerOf(request, "idempotency-key");
  const isBad = key !== undefined && (!/^[\x20-\x7e]{1,255}$/.test(key) || key.includes(", "));
  return expectBody(request, [], (body) => {
    if (!isBad) return expectRead(body, key);
    const ofBody = expectRead(body, undefined).outcomes.filter((outcome) => /^4(?:00|13) /.test(outcome));
    return { outcomes: ["400 invalid_header", ...ofBody] };
  });
}

function isRead(method: string): boolean {
  return method === "GET" || method === "HEAD";
}

/** Expects a page for people, or a document, outside the version. */
function expectPage(method: string, path: string): Expectation {
  if (PAGES.includes(path)) return { outcomes: isRead(method) ? ["200", "304"] : ["405 method_not_allowed"] };
  // The contract does not say whether an escaped path is the same path.
  const escaped = path.includes("%") ? ["400 malformed_escape", "200"] : [];
  return { outcomes: ["404 path_not_found", ...escaped] };
}
