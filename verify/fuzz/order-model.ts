// The part of the model that knows orders. Clients race for them, so it knows which statuses each of them may have.
import { INT64_MAX, parseExact } from "../animal.ts";
import { ContractViolation } from "../contract-violation.ts";
import { mayBecome, ORDER_STATUSES, type Order, type OrderStatus, orderOf, ordersOf } from "../order.ts";
import type { Random } from "../random.ts";
import { judgePlacing, judgeUpdate } from "./body-model.ts";
import { type Expectation, isLimit, nextOf, type Query, singles } from "./expectation.ts";
import { Positions } from "./positions.ts";
import { type FuzzRequest, headerOf } from "./request.ts";

interface Known {
  /** What never changes; `undefined` while only its id is known, by a guess. */
  placed: Pick<Order, "petId" | "placedAt"> | undefined;
  /** The statuses that it may have now. */
  possible: Set<OrderStatus>;
  /** All statuses that it may have had or have. */
  readonly ever: Set<OrderStatus>;
  /** The statuses that some request asked for. */
  readonly wanted: Set<OrderStatus>;
}

/** What the model of animals knows of an animal. */
interface Stock {
  /** Whether it was available when it was created; `undefined` if the animal is unknown. */
  isAvailable(id: number): boolean | undefined;
  /** Whether there may be such an animal. */
  mayExist(id: bigint): boolean;
}

const MERGE_PATCH: ReadonlySet<string> = new Set([
  "application/merge-patch+json",
  "application/merge-patch+json; charset=utf-8",
]);

/** One animal in this many may be ordered. The model knows the statuses of all others. */
const ORDERABLE_EVERY = 4;

export function isOrderable(id: number | bigint): boolean {
  return Number(id) % ORDERABLE_EVERY === 0;
}

/** Media types that the contract allows for a change of an order alone. */
export function isMergePatch(type: string): boolean {
  return MERGE_PATCH.has(type);
}

const NOT_FOUND = "404 order_not_found";

export class OrderModel {
  readonly #stock: Stock;
  readonly #orders = new Map<number, Known>();
  /** By animal: how many requests for it were sent. */
  readonly #placings = new Map<number, number>();
  readonly positions = new Positions(["status", "petId"]);
  readonly #retries = new Map<string, Order>();
  #highest = 0;

  constructor(stock: Stock) {
    this.#stock = stock;
  }

  // What the generator may build on.

  anId(random: Random): number {
    return random.between(1, Math.max(1, this.#highest));
  }

  /** An `Idempotency-Key` that placed an order, and for which animal. */
  aRetry(random: Random): { readonly key: string; readonly petId: bigint } | undefined {
    const keys = [...this.#retries.keys()];
    if (keys.length === 0) return undefined;
    const key = random.pick(keys);
    return { key, petId: this.#retries.get(key)?.petId ?? 0n };
  }

  /** Whether a key placed an order. */
  hasKey(key: string): boolean {
    return this.#retries.has(key);
  }

  // What must be answered.

  /** @param isKeyTaken whether the request's `Idempotency-Key` created an animal */
  expectPlacing(request: FuzzRequest, body: Uint8Array, isKeyTaken: boolean): Expectation {
    const content = judgePlacing(body);
    if (typeof content === "string") return { outcomes: [refusal(content)] };
    const { petId } = content;
    const key = headerOf(request, "idempotency-key");
    const earlier = key === undefined ? undefined : this.#retries.get(key);
    if (isKeyTaken || (earlier && earlier.petId !== petId))
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
        if (order.petId !== petId || order.status !== "placed")
          throw new ContractViolation("another order was placed than was sent");
        if (headers.get("location") !== `/v1/orders/${order.id}`)
          throw new ContractViolation("Location is not of this order");
        if (earlier) {
          if (order.id !== earlier.id || order.placedAt !== earlier.placedAt)
            throw new ContractViolation(`the first answer had the id ${earlier.id}`);
          return;
        }
        if (Number(order.id) <= highestBefore)
          throw new ContractViolation(`ids ascend, and ${highestBefore} was given before`);
        this.#learn(order);
        if (key !== undefined) this.#retries.set(key, order);
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

  expectUpdate(text: string, body: Uint8Array): Expectation {
    const content = judgeUpdate(body);
    const refused = typeof content === "string" ? [refusal(content)] : [];
    const id = this.#idOf(text);
    if (typeof content === "string")
      return { outcomes: id === undefined ? [...refused, NOT_FOUND] : refused };
    if (id === undefined) return { outcomes: [NOT_FOUND] };
    const { status } = content;
    const known = this.#entry(id);
    known.wanted.add(status);
    widen(known);
    const isThere = known.placed !== undefined;
    const [before, everBefore] = [new Set(known.possible), new Set(known.ever)];
    return {
      get outcomes() {
        // Others may have changed it meanwhile.
        const since = [...known.ever].filter((each) => !everBefore.has(each));
        const from = [...before, ...since];
        const isDone = (each: OrderStatus) => each === status || mayBecome(each, status);
        return [
          ...(from.some(isDone) ? ["200"] : []),
          ...(from.every(isDone) ? [] : ["409 invalid_transition"]),
          ...(isThere ? [] : [NOT_FOUND]),
        ];
      },
      check: (body) => {
        const order = orderOf(parseExact(body));
        if (Number(order.id) !== id || order.status !== status)
          throw new ContractViolation(`it is not order ${id} as ${status}`);
        this.#learn(order);
      },
    };
  }

  expectItem(request: FuzzRequest, text: string): Expectation {
    const id = this.#idOf(text);
    if (id === undefined) return { outcomes: [NOT_FOUND] };
    const outcomes = headerOf(request, "if-none-match") === undefined ? ["200"] : ["200", "304"];
    return {
      outcomes: this.#orders.get(id)?.placed ? outcomes : [...outcomes, NOT_FOUND],
      check: (body, { status }) => {
        if (status === 304 || request.method === "HEAD") return;
        const order = orderOf(parseExact(body));
        if (Number(order.id) !== id) throw new ContractViolation("it is another order");
        this.#learn(order);
      },
    };
  }

  expectList(request: FuzzRequest, query: Query): Expectation {
    const invalid = { outcomes: ["400 invalid_parameter"] };
    const given = singles(query, ["limit", "status", "petId", "cursor"]);
    if (!given) return invalid;
    const [limitText = "20", statusText, petId, cursor] = given;
    if (!isLimit(limitText)) return invalid;
    const status = statusText as OrderStatus | undefined;
    if (status !== undefined && !ORDER_STATUSES.includes(status)) return invalid;
    if (petId !== undefined && !isId(petId)) return invalid;
    const filters = { status, petId };
    const after = this.positions.after(cursor, filters);
    if (after === undefined) return invalid;
    const limit = Number(limitText);
    const expected = this.#expectedOn(status, petId);
    const outcomes = headerOf(request, "if-none-match") === undefined ? ["200"] : ["200", "304"];
    return {
      outcomes,
      check: (body, { headers, status: answered }) => {
        if (answered !== 200 || request.method === "HEAD") return;
        const page = ordersOf(body);
        if (page.length > limit) throw new ContractViolation(`there are more than ${limit}`);
        const next = nextOf(headers.get("link"), "/orders");
        if (next && page.length < limit)
          throw new ContractViolation("a page that is not full has a link to the next");
        let last = after;
        for (const order of page) {
          const fits =
            Number(order.id) > last &&
            (status ?? order.status) === order.status &&
            (petId ?? `${order.petId}`) === `${order.petId}`;
          if (!fits) throw new ContractViolation(`order ${order.id} does not belong behind ${last} there`);
          last = Number(order.id);
          this.#learn(order);
        }
        const shown = new Set(page.map(({ id }) => Number(id)));
        const missed = expected.find((id) => id > after && (!next || id <= last) && !shown.has(id));
        if (missed !== undefined) throw new ContractViolation(`order ${missed} is missing`);
        if (next) this.positions.learn(next, last, limitText, filters);
      },
    };
  }

  /** Compares all orders with everything that was answered. */
  checkAll(orders: readonly Order[]): void {
    for (const order of orders) {
      if (!this.#orders.get(Number(order.id))?.placed)
        throw new ContractViolation(`order ${order.id} is there, and nobody placed it`);
      this.#learn(order);
    }
    const known = [...this.#orders.values()].filter(({ placed }) => placed !== undefined).length;
    if (orders.length < known)
      throw new ContractViolation(`${known - orders.length} acknowledged orders are gone`);
  }

  /** The orders that a list with these filters must have. */
  #expectedOn(status: OrderStatus | undefined, petId: string | undefined): number[] {
    const isExpected = (known: Known) =>
      known.placed !== undefined &&
      (petId === undefined || `${known.placed.petId}` === petId) &&
      (status === undefined || (isFinal(status) && known.possible.size === 1 && known.possible.has(status)));
    return [...this.#orders].filter(([, known]) => isExpected(known)).map(([id]) => id);
  }

  #entry(id: number): Known {
    const known: Known = this.#orders.get(id) ?? {
      placed: undefined,
      possible: new Set(["placed"]),
      ever: new Set(["placed"]),
      wanted: new Set(),
    };
    this.#orders.set(id, known);
    return known;
  }

  #learn({ id, petId, placedAt, status }: Order): void {
    const known = this.#entry(Number(id));
    known.placed ??= { petId, placedAt };
    if (known.placed.petId !== petId || known.placed.placedAt !== placedAt)
      throw new ContractViolation(`order ${id} is not as it was placed`);
    if (!known.ever.has(status))
      throw new ContractViolation(`order ${id} is ${status}, which nobody asked for`);
    known.possible = new Set([...known.possible].filter((each) => isFrom(status, each)));
    this.#highest = Math.max(this.#highest, Number(id));
  }

  #idOf(text: string): number | undefined {
    return isId(text) && BigInt(text) <= BigInt(this.#highest + 10_000) ? Number(text) : undefined;
  }
}

/** Adds the statuses that the order may have once all requests for it are answered. */
function widen({ possible, ever, wanted }: Known): void {
  for (let size = -1; size !== possible.size; ) {
    size = possible.size;
    for (const status of wanted)
      if ([...possible].some((each) => mayBecome(each, status))) possible.add(status);
  }
  for (const status of possible) ever.add(status);
}

/** Whether an order that had a status may have another one now. */
function isFrom(status: OrderStatus, now: OrderStatus): boolean {
  return status === now || ORDER_STATUSES.some((next) => mayBecome(status, next) && isFrom(next, now));
}

function isFinal(status: OrderStatus): boolean {
  return !ORDER_STATUSES.some((next) => mayBecome(status, next));
}

function isId(text: string): boolean {
  return /^[1-9][0-9]*$/.test(text) && BigInt(text) <= INT64_MAX;
}

function refusal(code: string): string {
  return code === "body_too_large" ? `413 ${code}` : `400 ${code}`;
}
