import { parseExact } from "../../contract/animal.ts";
import { ContractViolation } from "../../contract/contract-violation.ts";
import { ORDERS, ORDERS_WITH_PETS } from "../../contract/lists.ts";
import {
  bodyOf,
  ORDER_STATUSES,
  type Order,
  type OrderStatus,
  orderOf,
  orderWithPetOf,
} from "../../contract/order.ts";
import type { Random } from "../random.ts";
import { judgePlacing, judgeUpdate } from "./body-model.ts";
import { type Expectation, isId, type Query } from "./expectation.ts";
import { IdempotencyKeys } from "./idempotency-keys.ts";
import { KnownOrder } from "./known-order.ts";
import { ListModel, type PageShown } from "./list-model.ts";
import type { Filters } from "./positions.ts";
import { type FuzzRequest, headerOf } from "./request.ts";

/** What the model of animals knows of an animal. */
interface Stock {
  /** Whether it was available when it was created; `undefined` if the animal is unknown. */
  isAvailable(id: number): boolean | undefined;
  /** Whether there may be such an animal. */
  mayExist(id: bigint): boolean;
}

/** One animal in this many may be ordered. The model knows the statuses of all others. */
export const ORDERABLE_EVERY = 4;

/** Whether the fuzzer may order the animal with this id. */
export function isOrderable(id: number | bigint): boolean {
  return Number(id) % ORDERABLE_EVERY === 0;
}

const NOT_FOUND = "404 order_not_found";
const CHANGED = "412 precondition_failed";

/** What an `If-Match` says of any order. */
export const CONDITIONS: ReadonlyMap<string, "true" | "false" | "malformed"> = new Map([
  ["*", "true"],
  ['"a"', "false"],
  ['W/"a" ,, "*"', "false"],
  ['"a", *', "malformed"],
  ["a", "malformed"],
  ['"', "malformed"],
  ["", "malformed"],
  ['"a" "b"', "malformed"],
]);

/** Ids this far above the highest known one may belong to orders whose responses have not come yet. */
const UNSEEN_MAX = 10_000;

const FILTERS = {
  status: (value: string) => ORDER_STATUSES.some((status) => status === value),
  petId: isId,
};

const INVALID = "400 invalid_parameter";

/** Whether a query asks for the animals of orders too, by any of its values: then the key must be allowed to read them. */
export function asksForPets(query: Query): boolean {
  return query.get("include")?.includes("pet") ?? false;
}

/** The part of the model that knows orders. Clients race for them, so it knows which statuses each of them may have. */
export class OrderModel {
  readonly #stock: Stock;
  readonly #orders = new Map<number, KnownOrder>();
  /** By animal: how many requests for it were sent. */
  readonly #placings = new Map<number, number>();
  readonly #list = new ListModel(ORDERS, FILTERS);
  readonly positions = this.#list.positions;
  readonly #listWithPets = new ListModel(ORDERS_WITH_PETS, FILTERS, this.positions);
  /** The keys that placed an order. */
  readonly keys = new IdempotencyKeys<Order>();
  #highest = 0;

  constructor(stock: Stock) {
    this.#stock = stock;
  }

  /** The id of an order, mostly of a known one, for the generator. */
  anId(random: Random): number {
    return random.between(1, Math.max(1, this.#highest));
  }

  /** @param isKeyTaken whether the request's `Idempotency-Key` created an animal */
  expectPlacing(body: Uint8Array, key: string | undefined, isKeyTaken: boolean): Expectation {
    const content = judgePlacing(body);
    if (typeof content === "string") return { outcomes: [refusal(content)] };
    const { petId } = content;
    const earlier = this.keys.get(key);
    if (isKeyTaken || (earlier && bodyOf(earlier) !== bodyOf(content)))
      return { outcomes: ["422 idempotency_key_reused"] };
    if (!earlier && !this.#stock.mayExist(petId)) return { outcomes: ["404 animal_not_found"] };
    const highestBefore = this.#highest;
    const outcomes = this.#placingOutcomes(Number(petId));
    return {
      get outcomes() {
        return earlier ? ["201"] : outcomes();
      },
      check: (body, { headers }) => {
        const order = orderOf(parseExact(body));
        if (bodyOf(order) !== bodyOf(content) || order.status !== "placed")
          throw new ContractViolation("another order was placed than was sent");
        if (headers.get("location") !== `/v1/orders/${order.id}`)
          throw new ContractViolation("Location is not of this order");
        if (earlier) {
          if (order.id !== earlier.id || order.placedAt !== earlier.placedAt)
            throw new ContractViolation(`the first response had the id ${earlier.id}`);
          return;
        }
        if (Number(order.id) <= highestBefore)
          throw new ContractViolation(`ids ascend, and ${highestBefore} was given before`);
        this.#learn(order);
        this.keys.set(key, order);
      },
    };
  }

  #placingOutcomes(petId: number): () => string[] {
    const placings = (this.#placings.get(petId) ?? 0) + 1;
    this.#placings.set(petId, placings);
    const isAvailable = this.#stock.isAvailable(petId);
    return () => {
      const isAlone = placings === 1 && this.#placings.get(petId) === 1;
      if (isAlone && isAvailable !== undefined) return [isAvailable ? "201" : "409 animal_not_available"];
      const outcomes = ["201", "409 animal_not_available"];
      return isAvailable === undefined ? [...outcomes, "404 animal_not_found"] : outcomes;
    };
  }

  expectUpdate(request: FuzzRequest, text: string, body: Uint8Array): Expectation {
    const content = judgeUpdate(body);
    const refused = typeof content === "string" ? [refusal(content)] : [];
    const id = this.#idOf(text);
    if (typeof content === "string")
      return { outcomes: id === undefined ? [...refused, NOT_FOUND] : refused };
    const condition = CONDITIONS.get(headerOf(request, "if-match") ?? "*");
    // A path that can name no order is refused before the header, and an order that is missing after it.
    if (condition === "malformed")
      return { outcomes: id === undefined ? ["400 invalid_header", NOT_FOUND] : ["400 invalid_header"] };
    if (id === undefined) return { outcomes: [NOT_FOUND] };
    const known = this.#entry(id);
    if (condition === "false") {
      return { outcomes: known.isPlaced ? [CHANGED] : [CHANGED, NOT_FOUND] };
    }
    const { status } = content;
    const outcomes = known.want(status);
    const missing = known.isPlaced ? [] : [NOT_FOUND];
    return {
      get outcomes() {
        return [...outcomes(), ...missing];
      },
      check: (body) => {
        const order = orderOf(parseExact(body));
        if (Number(order.id) !== id || order.status !== status)
          throw new ContractViolation(`it is not order ${id} as ${status}`);
        this.#learn(order);
      },
    };
  }

  expectItem(request: FuzzRequest, text: string, query: Query): Expectation {
    const id = this.#idOf(text);
    const include = query.get("include")?.join();
    if (include !== undefined && include !== "pet")
      return { outcomes: id === undefined ? [INVALID, NOT_FOUND] : [INVALID] };
    if (id === undefined) return { outcomes: [NOT_FOUND] };
    const outcomes = headerOf(request, "if-none-match") === undefined ? ["200"] : ["200", "304"];
    return {
      outcomes: this.#orders.get(id)?.isPlaced ? outcomes : [...outcomes, NOT_FOUND],
      check: (body, { status }) => {
        if (status === 304 || request.method === "HEAD") return;
        const order = (include ? orderWithPetOf : orderOf)(parseExact(body));
        if (Number(order.id) !== id) throw new ContractViolation("it is another order");
        this.#learn(order);
      },
    };
  }

  expectList(request: FuzzRequest, query: Query): Expectation {
    const include = query.get("include")?.join();
    if (include !== undefined && include !== "pet") return { outcomes: [INVALID] };
    const judge = ({ status, petId }: Filters<keyof typeof FILTERS>, after: number) => {
      const expected = this.#expectedOn(status as OrderStatus | undefined, petId);
      return ({ items, last, more }: PageShown<Order>) => {
        for (const order of items) this.#learn(order);
        const shown = new Set(items.map(({ id }) => Number(id)));
        const missed = expected.find((id) => id > after && (!more || id <= last) && !shown.has(id));
        if (missed !== undefined) throw new ContractViolation(`order ${missed} is missing`);
      };
    };
    return include
      ? this.#listWithPets.expect(request, query, judge)
      : this.#list.expect(request, query, judge);
  }

  /** Compares all orders with everything that was answered. */
  checkAll(orders: readonly Order[]): void {
    for (const order of orders) {
      if (!this.#orders.get(Number(order.id))?.isPlaced)
        throw new ContractViolation(`order ${order.id} is there, and nobody placed it`);
      this.#learn(order);
    }
    const known = [...this.#orders.values()].filter(({ isPlaced }) => isPlaced).length;
    if (orders.length < known)
      throw new ContractViolation(`${known - orders.length} acknowledged orders are gone`);
  }

  /** The orders that a list with these filters must have. */
  #expectedOn(status: OrderStatus | undefined, petId: string | undefined): number[] {
    const isExpected = (known: KnownOrder) =>
      known.isPlaced &&
      (petId === undefined || known.isFor(petId)) &&
      (status === undefined || known.hasFinally(status));
    return [...this.#orders].filter(([, known]) => isExpected(known)).map(([id]) => id);
  }

  #entry(id: number): KnownOrder {
    const known = this.#orders.get(id) ?? new KnownOrder();
    this.#orders.set(id, known);
    return known;
  }

  #learn(order: Order): void {
    this.#entry(Number(order.id)).learn(order);
    this.#highest = Math.max(this.#highest, Number(order.id));
  }

  #idOf(text: string): number | undefined {
    return isId(text) && BigInt(text) <= BigInt(this.#highest + UNSEEN_MAX) ? Number(text) : undefined;
  }
}

function refusal(code: string): string {
  return code === "body_too_large" ? `413 ${code}` : `400 ${code}`;
}
