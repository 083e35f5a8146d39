import { animalOf, animalsOf, parseExact, STATUSES, type Status } from "../animal.ts";
import { type Answer, type Call, type Client, NoAnswer } from "../client.ts";
import { assert } from "../contract-violation.ts";
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
import type { Knowledge } from "./random-client.ts";
import type { OrderQuery, Placing, Updating } from "./trades.ts";

/** Animals that may be bought at one time: few, so that the clients race for each of them. */
const FOR_SALE_MAX = 10;
/** A client that gives up does so within this time, mostly before the answer. */
const PATIENCE_MAX_MS = 6;
const POSITIONS_MAX = 200;
/** Every client's page of the animals of a status begins with those that are bought first. */
const LIMIT_MAX = 100;

/** A place where a list of orders goes on. */
type OrderPosition = OrderQuery & { readonly cursor: string };

/** What the buyers of a run know, shared between them. */
export class Market {
  /** Animals that are not sold, as far as is known. */
  readonly forSale: number[] = [];
  /** Every order that was seen, with its status when it was seen last. */
  readonly orders = new Map<number, OrderStatus>();
  /** Placings under an `Idempotency-Key`. */
  readonly keyed: { readonly key: string; readonly placing: Placing }[] = [];
  readonly positions: OrderPosition[] = [];
}

/** One client of several, which buys animals; its next step is random. */
export class RandomBuyer {
  readonly #clients: readonly Client[];
  readonly #knowledge: Knowledge;
  readonly #market: Market;
  readonly #name: string;
  #random: Random;

  /** @param clients of the instances that it may turn to */
  constructor(
    clients: readonly Client[],
    knowledge: Knowledge,
    market: Market,
    name: string,
    random: Random,
  ) {
    this.#clients = clients;
    this.#knowledge = knowledge;
    this.#market = market;
    this.#name = name;
    this.#random = random;
  }

  /** Takes one random step. @throws BrokenPromise */
  async step(random: Random, turn: number): Promise<void> {
    this.#random = random;
    const key = `${this.#name}.${turn}`;
    await random.weighted<() => Promise<void>>([
      [24, () => this.#place()],
      [8, () => this.#place(key)],
      [6, () => this.#placeAtOnce(key)],
      [4, () => this.#placeUntilAnswered(key)],
      [1, () => this.#placeAndForget()],
      [4, () => this.#repeat()],
      [2, () => this.#reuse()],
      [26, () => this.#update()],
      [3, () => this.#updateUntilAnswered()],
      [6, () => this.#getOrder()],
      [8, () => this.#list()],
      [6, () => this.#goOn()],
      [8, () => this.#look(this.#anAnimal(), random.pick(STATUSES))],
    ])();
  }

  async #place(key?: string): Promise<void> {
    const animal = this.#anAnimal();
    if (animal === undefined) return;
    const placing = this.#intend(animal, key);
    this.#knowledge.count("order");
    await this.#send(placing, this.#placeCall(animal, key));
    await this.#look(animal, "pending");
  }

  /** Sends one order several times at once, under one key. */
  async #placeAtOnce(key: string): Promise<void> {
    const animal = this.#anAnimal();
    if (animal === undefined) return;
    const placing = this.#intend(animal, key);
    this.#knowledge.count("order retried at once");
    const times = Array.from({ length: this.#random.between(2, 4) }, () => this.#placeCall(animal, key));
    await Promise.all(times.map((call) => this.#send(placing, call)));
  }

  /** Gives up early, then repeats the order under the same key until an answer arrives. */
  async #placeUntilAnswered(key: string): Promise<void> {
    const animal = this.#anAnimal();
    if (animal === undefined) return;
    const placing = this.#intend(animal, key);
    for (let tries = this.#random.between(1, 2); tries > 0; tries--)
      await this.#giveUp((signal) => this.#send(placing, { ...this.#placeCall(animal, key), signal }));
    this.#knowledge.count("retry of a lost order");
    await this.#send(placing, this.#placeCall(animal, key));
  }

  /** Gives up and never repeats the order: it may be placed or not. */
  async #placeAndForget(): Promise<void> {
    const animal = this.#anAnimal();
    if (animal === undefined) return;
    const placing = this.#intend(animal);
    this.#knowledge.count("lost order");
    await this.#giveUp((signal) => this.#send(placing, { ...this.#placeCall(animal), signal }));
  }

  /** Repeats an earlier order under its key, whatever has become of it. */
  async #repeat(): Promise<void> {
    const earlier = this.#aKeyed();
    if (!earlier) return;
    const { key, placing } = earlier;
    this.#knowledge.count("order retried");
    await this.#send(placing, this.#placeCall(placing.petId, key));
  }

  /** Reuses an earlier key for another animal. */
  async #reuse(): Promise<void> {
    const earlier = this.#aKeyed();
    const animal = this.#anAnimal();
    // Until the earlier order is answered, either of the two may be the first.
    if (!earlier?.placing.order || animal === undefined || animal === earlier.placing.petId) return;
    const call = this.#placeCall(animal, earlier.key);
    const client = this.#client();
    const answer = await client.send(call);
    this.#knowledge.count("order's key for another animal");
    if (!this.#knowledge.isPutOff(answer)) expectStatus(answer, 422, client.curl(call));
  }

  async #update(): Promise<void> {
    const id = this.#anOrder();
    if (id === undefined) return;
    const updating = this.#intendUpdate(id);
    this.#knowledge.count("order changed");
    const order = await this.#sendUpdate(updating);
    if (order) await this.#look(Number(order.petId), animalStatusUnder(order.status));
  }

  /** Gives up early, then asks for the same change until an answer arrives. */
  async #updateUntilAnswered(): Promise<void> {
    const id = this.#anOrder();
    if (id === undefined) return;
    const status = this.#aStep(id);
    await this.#giveUp((signal) => this.#sendUpdate(this.#intendUpdate(id, status), signal));
    this.#knowledge.count("lost change of an order");
    await this.#sendUpdate(this.#intendUpdate(id, status));
  }

  async #getOrder(): Promise<void> {
    const highest = Math.max(0, ...this.#market.orders.keys());
    const id =
      (this.#random.chance(0.8) ? this.#anOrder() : undefined) ?? highest + this.#random.between(1, 3);
    const client = this.#client();
    const call = { path: `/orders/${id}` };
    const answer = await client.send(call);
    this.#knowledge.count("order fetched");
    if (this.#knowledge.isPutOff(answer)) return;
    const span = { from: answer.from, to: answer.to, request: client.curl(call) };
    if (answer.status !== 404) expectStatus(answer, 200, span.request);
    const order = answer.status === 200 ? this.#learn(orderOf(parseExact(answer.body))) : undefined;
    this.#knowledge.history.trades.get(id, order, span);
  }

  async #list(): Promise<void> {
    const status = this.#random.chance(0.4) ? this.#random.pick(ORDER_STATUSES) : undefined;
    const petId = this.#random.chance(0.3) ? this.#anAnimal() : undefined;
    await this.#page({ status, petId, after: 0 });
  }

  async #goOn(): Promise<void> {
    const { positions } = this.#market;
    if (positions.length === 0) return;
    const position = this.#random.pick(positions);
    await this.#page(position, position.cursor);
  }

  async #page(query: OrderQuery, cursor?: string): Promise<void> {
    const { status, petId, after } = query;
    const limit = this.#random.between(1, LIMIT_MAX);
    const parts = Object.entries({ limit, status, petId, cursor }).flatMap(([name, value]) =>
      value === undefined ? [] : [`${name}=${value}`],
    );
    const client = this.#client();
    const call = { path: `/orders?${parts.join("&")}` };
    const answer = await client.send(call);
    this.#knowledge.count("orders listed");
    if (this.#knowledge.isPutOff(answer)) return;
    const span = { from: answer.from, to: answer.to, request: client.curl(call) };
    expectStatus(answer, 200, span.request);
    const orders = ordersOf(answer.body).map((order) => this.#learn(order));
    const next = nextQueryOf(answer.headers, "/v1/orders")?.get("cursor") ?? undefined;
    this.#knowledge.history.trades.page(query, limit, orders, next !== undefined, span);
    if (next === undefined) return;
    const position = { status, petId, after: Number(orders.at(-1)?.id ?? after), cursor: next };
    const { positions } = this.#market;
    positions[positions.length < POSITIONS_MAX ? positions.length : this.#random.below(POSITIONS_MAX)] =
      position;
  }

  /** Looks at an animal by itself and in a list, at any instance: a change must show at once everywhere. */
  async #look(animal: number | undefined, status: Status): Promise<void> {
    if (animal === undefined || this.#random.chance(0.5)) return;
    const { history } = this.#knowledge;
    const [client, other] = [this.#client(), this.#client()];
    const get = { path: `/pets/${animal}` };
    const list = { path: `/pets?limit=${LIMIT_MAX}&status=${status}` };
    const [one, page] = await Promise.all([client.send(get), other.send(list)]);
    this.#knowledge.count("look at an animal for sale");
    if (!this.#knowledge.isPutOff(one)) {
      expectStatus(one, 200, client.curl(get));
      const span = { from: one.from, to: one.to, request: client.curl(get) };
      history.get(animal, animalOf(parseExact(one.body)), span);
    }
    if (this.#knowledge.isPutOff(page)) return;
    expectStatus(page, 200, other.curl(list));
    const span = { from: page.from, to: page.to, request: other.curl(list) };
    const more = page.headers.get("link") !== null;
    history.page({ filter: status, after: 0 }, LIMIT_MAX, animalsOf(page.body), more, span);
  }

  /** Sends an order and records its answer. */
  async #send(placing: Placing, call: Call): Promise<void> {
    const client = this.#client();
    const answer = await client.send(call);
    if (this.#knowledge.isPutOff(answer)) return;
    const request = client.curl(call);
    const { trades } = this.#knowledge.history;
    if (answer.status === 409) return trades.refuse(placing, { from: answer.from, to: answer.to, request });
    expectStatus(answer, 201, request);
    const order = orderOf(parseExact(answer.body));
    const location = answer.headers.get("location");
    assert(location === `/v1/orders/${order.id}`, `Location: /v1/orders/${order.id}`, `${location}`, request);
    trades.acknowledge(placing, order, answer.to);
    if (!this.#market.orders.has(Number(order.id))) this.#learn(order);
  }

  async #sendUpdate(updating: Updating, signal?: AbortSignal): Promise<Order | undefined> {
    const { id, status } = updating;
    const call = updateCall(id, status, signal);
    const client = this.#client();
    const answer = await client.send(call);
    if (this.#knowledge.isPutOff(answer)) return undefined;
    if (answer.status !== 409) expectStatus(answer, 200, client.curl(call));
    const order = answer.status === 200 ? orderOf(parseExact(answer.body)) : undefined;
    this.#knowledge.history.trades.answer(updating, order, answer.to);
    return order && this.#learn(order);
  }

  /** Gives up on a request after a few milliseconds, mostly before the answer. */
  async #giveUp(send: (signal: AbortSignal) => Promise<unknown>): Promise<void> {
    const patience = AbortSignal.timeout(this.#random.between(0, PATIENCE_MAX_MS));
    try {
      await send(patience);
    } catch (error) {
      if (!(error instanceof NoAnswer) || !patience.aborted) throw error;
    }
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
    const placing = this.#knowledge.history.trades.intend(animal, this.#client().curl(call));
    if (key !== undefined) this.#market.keyed.push({ key, placing });
    return placing;
  }

  #intendUpdate(id: number, status = this.#aStep(id)): Updating {
    const request = this.#client().curl(updateCall(id, status));
    return this.#knowledge.history.trades.intendUpdate(id, status, request);
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
    return this.#random.pick(this.#random.chance(0.8) ? next[known] : ORDER_STATUSES);
  }

  /** An animal for sale; new ones take the places of those that were sold. */
  #anAnimal(): number | undefined {
    const { forSale } = this.#market;
    while (forSale.length < FOR_SALE_MAX) {
      const next = this.#knowledge.unordered.shift();
      if (next === undefined) break;
      forSale.push(next);
    }
    return forSale.length > 0 ? this.#random.pick(forSale) : undefined;
  }

  /** Mostly one of the last orders: the others have come to their ends. */
  #anOrder(): number | undefined {
    const ids = [...this.#market.orders.keys()];
    const open = ids.filter((id) => /placed|approved/.test(this.#market.orders.get(id) ?? ""));
    const some = open.length > 0 && this.#random.chance(0.8) ? open : ids;
    return some.length > 0 ? this.#random.pick(some) : undefined;
  }

  #aKeyed() {
    const { keyed } = this.#market;
    return keyed.length > 0 ? this.#random.pick(keyed) : undefined;
  }

  #placeCall(animal: number, key?: string): Call {
    const body = `{"petId":${writeInteger(BigInt(animal), this.#random)}}`;
    return { path: "/orders", body, ...(key !== undefined && { headers: { "Idempotency-Key": key } }) };
  }

  #client(): Client {
    return this.#random.pick(this.#clients);
  }
}

function updateCall(id: number, status: OrderStatus, signal?: AbortSignal): Call {
  const body = `{"status":"${status}"}`;
  return { method: "PATCH", path: `/orders/${id}`, body, ...(signal && { signal }) };
}

function expectStatus(answer: Answer, status: number, request: string): void {
  const actual = `${answer.status}: ${answer.body.toString().slice(0, 300)}`;
  assert(answer.status === status, `${status}`, actual, request);
}
