import { animalOf, animalsOf, parseExact, STATUSES, type Status } from "../animal.ts";
import type { Call, Client } from "../client.ts";
import { writeInteger } from "../fuzz/bodies.ts";
import { nextQueryOf } from "../headers.ts";
import {
  animalStatusUnder,
  ORDER_STATUSES,
  type Order,
  type OrderStatus,
  orderOf,
  ordersOf,
} from "../order.ts";
import type { Random } from "../random.ts";
import type { Knowledge } from "./knowledge.ts";
import type { OrderQuery, Placing, Updating } from "./order-records.ts";
import { expectLocation, expectStatus, post, RandomActor, withQuery } from "./random-actor.ts";

/** Animals that may be bought at one time: few, so that the clients race for each of them. */
const FOR_SALE_MAX = 10;
const POSITIONS_MAX = 200;
/** Every client's page of the animals of a status begins with the animals that are bought first. */
const LIMIT_MAX = 100;

/** The position at which a list of orders continues. */
type OrderPosition = OrderQuery & { readonly cursor: string };

/** What the buyers of a run know, shared between them. */
export class Market {
  /** Animals that are not sold, as far as is known. */
  readonly forSale: number[] = [];
  /** Every order that was seen, with its last known status. */
  readonly orders = new Map<number, OrderStatus>();
  /** Orders with an `Idempotency-Key`. */
  readonly keyed: { readonly key: string; readonly placing: Placing }[] = [];
  readonly positions: OrderPosition[] = [];
}

/** One client of several, which buys animals. */
export class RandomBuyer extends RandomActor {
  readonly #market: Market;

  constructor(
    clients: readonly Client[],
    knowledge: Knowledge,
    market: Market,
    name: string,
    random: Random,
  ) {
    super(clients, knowledge, name, random);
    this.#market = market;
  }

  /** Takes one random step. @throws BrokenPromise */
  async step(random: Random, turn: number): Promise<void> {
    this.random = random;
    const key = `${this.name}.${turn}`;
    const animal = this.#anAnimal();
    const withAnimal = (work: (animal: number) => Promise<void>) => async () => {
      if (animal !== undefined) await work(animal);
    };
    await random.weighted<() => Promise<void>>([
      [24, withAnimal((animal) => this.#place(animal))],
      [8, withAnimal((animal) => this.#place(animal, key))],
      [6, withAnimal((animal) => this.#placeAtOnce(animal, key))],
      [4, withAnimal((animal) => this.#placeUntilAnswered(animal, key))],
      [1, withAnimal((animal) => this.#placeAndForget(animal))],
      [4, () => this.#repeat()],
      [2, withAnimal((animal) => this.#reuse(animal))],
      [26, () => this.#update()],
      [3, () => this.#updateUntilAnswered()],
      [6, () => this.#getOrder()],
      [8, () => this.#list()],
      [6, () => this.#goOn()],
      [8, withAnimal((animal) => this.#look(animal, random.pick(STATUSES)))],
    ])();
  }

  async #place(animal: number, key?: string): Promise<void> {
    const placing = this.#intend(animal, key);
    this.knowledge.count("order");
    await this.#send(placing, this.#placeCall(animal, key));
    await this.#look(animal, "pending");
  }

  /** Sends one order several times at once, with one key. */
  async #placeAtOnce(animal: number, key: string): Promise<void> {
    const placing = this.#intend(animal, key);
    this.knowledge.count("order retried at once");
    const times = Array.from({ length: this.random.between(2, 4) }, () => this.#placeCall(animal, key));
    await Promise.all(times.map((call) => this.#send(placing, call)));
  }

  /** Gives up early, then repeats the order with the same key until an answer arrives. */
  async #placeUntilAnswered(animal: number, key: string): Promise<void> {
    const placing = this.#intend(animal, key);
    for (let tries = this.random.between(1, 2); tries > 0; tries--)
      await this.giveUp((signal) => this.#send(placing, { ...this.#placeCall(animal, key), signal }));
    this.knowledge.count("retry of a lost order");
    await this.#send(placing, this.#placeCall(animal, key));
  }

  /** Gives up and never repeats the order: it may be placed or not. */
  async #placeAndForget(animal: number): Promise<void> {
    const placing = this.#intend(animal);
    this.knowledge.count("lost order");
    await this.giveUp((signal) => this.#send(placing, { ...this.#placeCall(animal), signal }));
  }

  /** Repeats an earlier order with its key, whatever has become of it. */
  async #repeat(): Promise<void> {
    const earlier = this.any(this.#market.keyed);
    if (!earlier) return;
    const { key, placing } = earlier;
    this.knowledge.count("order retried");
    await this.#send(placing, this.#placeCall(placing.petId, key));
  }

  /** Reuses an earlier key for another animal. */
  async #reuse(animal: number): Promise<void> {
    const earlier = this.any(this.#market.keyed);
    // Until the earlier order is answered, either of the two may be the first.
    if (!earlier?.placing.order || animal === earlier.placing.petId) return;
    const answer = await this.send(this.#placeCall(animal, earlier.key));
    this.knowledge.count("order's key for another animal");
    if (answer) expectStatus(answer, 422);
  }

  async #update(): Promise<void> {
    const id = this.#anOrder();
    if (id === undefined) return;
    this.knowledge.count("order changed");
    const order = await this.#sendUpdate(id, this.#aStep(id));
    if (order) await this.#look(Number(order.petId), animalStatusUnder(order.status));
  }

  /** Gives up early, then asks for the same change until an answer arrives. */
  async #updateUntilAnswered(): Promise<void> {
    const id = this.#anOrder();
    if (id === undefined) return;
    const status = this.#aStep(id);
    await this.giveUp((signal) => this.#sendUpdate(id, status, signal));
    this.knowledge.count("lost change of an order");
    await this.#sendUpdate(id, status);
  }

  async #getOrder(): Promise<void> {
    const highest = Math.max(0, ...this.#market.orders.keys());
    const id = (this.random.chance(0.8) ? this.#anOrder() : undefined) ?? highest + this.random.between(1, 3);
    const answer = await this.send({ path: `/orders/${id}` });
    this.knowledge.count("order fetched");
    if (!answer) return;
    if (answer.status !== 404) expectStatus(answer, 200);
    const order = answer.status === 200 ? this.#learn(orderOf(parseExact(answer.body))) : undefined;
    this.knowledge.history.trades.get(id, order, answer.span);
  }

  async #list(): Promise<void> {
    const status = this.random.chance(0.4) ? this.random.pick(ORDER_STATUSES) : undefined;
    const petId = this.random.chance(0.3) ? this.#anAnimal() : undefined;
    await this.#page({ status, petId, after: 0 });
  }

  async #goOn(): Promise<void> {
    const position = this.any(this.#market.positions);
    if (position) await this.#page(position, position.cursor);
  }

  async #page(query: OrderQuery, cursor?: string): Promise<void> {
    const { status, petId, after } = query;
    const limit = this.random.between(1, LIMIT_MAX);
    const answer = await this.send({ path: withQuery("/orders", { limit, status, petId, cursor }) });
    this.knowledge.count("orders listed");
    if (!answer) return;
    expectStatus(answer, 200);
    const orders = ordersOf(answer.body).map((order) => this.#learn(order));
    const next = nextQueryOf(answer.headers, "/v1/orders")?.get("cursor") ?? undefined;
    this.knowledge.history.trades.page(query, limit, orders, next !== undefined, answer.span);
    if (next === undefined) return;
    const { positions } = this.#market;
    const at = positions.length < POSITIONS_MAX ? positions.length : this.random.below(POSITIONS_MAX);
    positions[at] = { status, petId, after: Number(orders.at(-1)?.id ?? after), cursor: next };
  }

  /** Looks at an animal by itself and in a list, at any instance: a change must show everywhere at once. */
  async #look(animal: number, status: Status): Promise<void> {
    if (this.random.chance(0.5)) return;
    const { history } = this.knowledge;
    const [one, page] = await Promise.all([
      this.send({ path: `/pets/${animal}` }),
      this.send({ path: withQuery("/pets", { limit: LIMIT_MAX, status }) }),
    ]);
    this.knowledge.count("look at an animal for sale");
    if (one) {
      expectStatus(one, 200);
      history.get(animal, animalOf(parseExact(one.body)), one.span);
    }
    if (!page) return;
    expectStatus(page, 200);
    const more = page.headers.get("link") !== null;
    history.page({ filter: status, after: 0 }, LIMIT_MAX, animalsOf(page.body), more, page.span);
  }

  /** Sends an order and records its answer. */
  async #send(placing: Placing, call: Call): Promise<void> {
    const answer = await this.send(call);
    if (!answer) return;
    const { trades } = this.knowledge.history;
    if (answer.status === 409) return trades.refuse(placing, answer.span);
    expectStatus(answer, 201);
    const order = orderOf(parseExact(answer.body));
    expectLocation(answer, `/v1/orders/${order.id}`);
    trades.acknowledge(placing, order, answer.to);
    if (!this.#market.orders.has(Number(order.id))) this.#learn(order);
  }

  /** Sends a change of an order and records its answer. */
  async #sendUpdate(id: number, status: OrderStatus, signal?: AbortSignal): Promise<Order | undefined> {
    const body = `{"status":"${status}"}`;
    const call: Call = { method: "PATCH", path: `/orders/${id}`, body, ...(signal && { signal }) };
    const { trades } = this.knowledge.history;
    const updating: Updating = trades.intendUpdate(id, status, this.curl(call));
    const answer = await this.send(call);
    if (!answer) return undefined;
    if (answer.status !== 409) expectStatus(answer, 200);
    const order = answer.status === 200 ? orderOf(parseExact(answer.body)) : undefined;
    trades.answer(updating, order, answer.to);
    return order && this.#learn(order);
  }

  #learn(order: Order): Order {
    this.#market.orders.set(Number(order.id), order.status);
    const { forSale } = this.#market;
    const at = forSale.indexOf(Number(order.petId));
    if (order.status === "delivered" && at >= 0) forSale.splice(at, 1);
    return order;
  }

  #intend(animal: number, key?: string): Placing {
    const call = this.#placeCall(animal, key);
    const placing = this.knowledge.history.trades.intend(animal, this.curl(call));
    if (key !== undefined) this.#market.keyed.push({ key, placing });
    return placing;
  }

  /** Mostly a step that the order may take, as far as is known. */
  #aStep(id: number): OrderStatus {
    const next: Readonly<Record<OrderStatus, readonly OrderStatus[]>> = {
      placed: ["approved", "approved", "cancelled"],
      approved: ["cancelled", "cancelled", "delivered"],
      delivered: ["delivered"],
      cancelled: ["cancelled"],
    };
    const known = this.#market.orders.get(id) ?? "placed";
    return this.random.pick(this.random.chance(0.8) ? next[known] : ORDER_STATUSES);
  }

  /** An animal for sale; new ones take the places of sold ones. */
  #anAnimal(): number | undefined {
    const { forSale } = this.#market;
    const missing = Math.max(0, FOR_SALE_MAX - forSale.length);
    forSale.push(...this.knowledge.unordered.splice(0, missing));
    return this.any(forSale);
  }

  /** Mostly one of the open orders: the others have come to their ends. */
  #anOrder(): number | undefined {
    const ids = [...this.#market.orders.keys()];
    const open = ids.filter((id) => /placed|approved/.test(this.#market.orders.get(id) ?? ""));
    return this.any(open.length > 0 && this.random.chance(0.8) ? open : ids);
  }

  #placeCall(animal: number, key?: string): Call {
    return post("/orders", `{"petId":${writeInteger(BigInt(animal), this.random)}}`, key);
  }
}
