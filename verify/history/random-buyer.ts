import { animalOf, parseExact, STATUSES, type Status } from "../../contract/animal.ts";
import type { Call, Client } from "../../contract/client.ts";
import { nextQueryOf } from "../../contract/headers.ts";
import { itemsOf, ORDERS, PETS } from "../../contract/lists.ts";
import {
  animalStatusUnder,
  ORDER_STATUSES,
  type Order,
  type OrderStatus,
  type OrderWithPet,
  orderOf,
  orderWithPetOf,
} from "../../contract/order.ts";
import { writeInteger } from "../fuzz/values.ts";
import type { Random } from "../random.ts";
import type { Knowledge } from "./knowledge.ts";
import type { Market } from "./market.ts";
import type { OrderQuery, Placing, Updating } from "./order-records.ts";
import { expectLocation, expectStatus, type Manner, post, RandomActor, withQuery } from "./random-actor.ts";

/** Every client's page of the animals of a status begins with the animals that are bought first. */
const LIMIT_MAX = 100;

/** One client of several, which buys animals. */
export class RandomBuyer extends RandomActor {
  readonly #market: Market;

  constructor(clients: readonly Client[], knowledge: Knowledge, name: string, keyed: number, market: Market) {
    super(clients, knowledge, name, keyed);
    this.#market = market;
  }

  /** Takes one random step. @throws BrokenPromise */
  async step(random: Random, turn: number): Promise<void> {
    this.random = random;
    const key = `${this.name}.${turn}`;
    const animal = this.#market.anAnimal(this.random, this.knowledge.unordered);
    const withAnimal = (work: (animal: number) => Promise<void>) => async () => {
      if (animal !== undefined) await work(animal);
    };
    await random.weighted<() => Promise<void>>([
      [32, withAnimal((animal) => this.#place(animal, random.chance(this.keyed) ? key : undefined))],
      [6, withAnimal((animal) => this.#placeIn("atOnce", "order retried at once", animal, key))],
      [4, withAnimal((animal) => this.#placeIn("untilAnswered", "retry of a lost order", animal, key))],
      [1, withAnimal((animal) => this.#placeIn("andForget", "lost order", animal))],
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

  /** Sends one order in a manner that leaves its outcome open for a while. */
  async #placeIn(manner: Manner, kind: string, animal: number, key?: string): Promise<void> {
    const placing = this.#intend(animal, key);
    this.knowledge.count(kind);
    await this[manner]((signal) =>
      this.#send(placing, { ...this.#placeCall(animal, key), ...(signal && { signal }) }),
    );
  }

  /** Repeats an earlier order with its key, whatever has become of it. */
  async #repeat(): Promise<void> {
    const earlier = this.any(this.#market.keyed);
    if (!earlier) return;
    const { key, placing } = earlier;
    this.knowledge.count("order retried");
    await this.#send(placing, this.#placeCall(placing.petId, key));
  }

  /** Repeats each order with a key that got no response. */
  async retryUnanswered(random: Random): Promise<void> {
    this.random = random;
    for (const { key, placing } of this.#market.keyed) {
      if (placing.order || placing.isRefused) continue;
      this.knowledge.count("retried after a kill");
      await this.#send(placing, this.#placeCall(placing.petId, key));
    }
  }

  /** Reuses an earlier key for another animal. */
  async #reuse(animal: number): Promise<void> {
    const earlier = this.any(this.#market.keyed);
    // Until the earlier order is answered, either of the two may be the first.
    if (!earlier?.placing.order || animal === earlier.placing.petId) return;
    const response = await this.send(this.#placeCall(animal, earlier.key));
    this.knowledge.count("order's key for another animal");
    if (response) expectStatus(response, 422);
  }

  async #update(): Promise<void> {
    const id = this.#market.anOrder(this.random);
    if (id === undefined) return;
    this.knowledge.count("order changed");
    const order = await this.#sendUpdate(id, this.#market.aStep(id, this.random));
    if (order) await this.#look(Number(order.petId), animalStatusUnder(order.status));
  }

  /** Gives up early, then asks for the same change until a response arrives. */
  async #updateUntilAnswered(): Promise<void> {
    const id = this.#market.anOrder(this.random);
    if (id === undefined) return;
    const status = this.#market.aStep(id, this.random);
    this.knowledge.count("lost change of an order");
    await this.andForget((signal) => this.#sendUpdate(id, status, signal));
    await this.#sendUpdate(id, status);
  }

  async #getOrder(): Promise<void> {
    const highest = Math.max(0, ...this.#market.orders.keys());
    const id =
      (this.random.chance(0.8) ? this.#market.anOrder(this.random) : undefined) ??
      highest + this.random.between(1, 3);
    const withPet = this.random.chance(0.5);
    const response = await this.send({
      path: withQuery(`/orders/${id}`, { include: withPet ? "pet" : undefined }),
    });
    this.knowledge.count(withPet ? "order and animal fetched" : "order fetched");
    if (!response) return;
    if (response.status !== 404) expectStatus(response, 200);
    const { history } = this.knowledge;
    const read: (value: unknown) => Order & Partial<OrderWithPet> = withPet ? orderWithPetOf : orderOf;
    const shown = response.status === 200 ? read(parseExact(response.body)) : undefined;
    history.trades.reads.get(id, shown && this.#market.learn(shown), response.span);
    if (shown?.pet) history.reads.get(Number(shown.petId), shown.pet, response.span);
  }

  async #list(): Promise<void> {
    const status = this.random.chance(0.4) ? this.random.pick(ORDER_STATUSES) : undefined;
    const petId = this.random.chance(0.3)
      ? this.#market.anAnimal(this.random, this.knowledge.unordered)
      : undefined;
    await this.#page({ status, petId, after: 0 });
  }

  async #goOn(): Promise<void> {
    const position = this.any(this.#market.positions);
    if (position) await this.#page(position, position.cursor);
  }

  async #page(query: OrderQuery, cursor?: string): Promise<void> {
    const { status, petId, after } = query;
    const limit = this.random.between(1, LIMIT_MAX);
    const response = await this.send({ path: withQuery("/orders", { limit, status, petId, cursor }) });
    this.knowledge.count("orders listed");
    if (!response) return;
    expectStatus(response, 200);
    const orders = itemsOf(ORDERS, response.body).map((order) => this.#market.learn(order));
    const next = nextQueryOf(response.headers, "/v1/orders")?.get("cursor") ?? undefined;
    this.knowledge.history.trades.reads.page(query, limit, orders, next !== undefined, response.span);
    if (next === undefined) return;
    this.#market.save(
      { status, petId, after: Number(orders.at(-1)?.id ?? after), cursor: next },
      this.random,
    );
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
      history.reads.get(animal, animalOf(parseExact(one.body)), one.span);
    }
    if (!page) return;
    expectStatus(page, 200);
    const more = page.headers.get("link") !== null;
    history.reads.page({ status, after: 0 }, LIMIT_MAX, itemsOf(PETS, page.body), more, page.span);
  }

  /** Sends an order and records its response. */
  async #send(placing: Placing, call: Call): Promise<void> {
    const response = await this.send(call);
    if (!response) return;
    const { trades } = this.knowledge.history;
    if (response.status === 409) return trades.refuse(placing, response.span);
    expectStatus(response, 201);
    const order = orderOf(parseExact(response.body));
    expectLocation(response, `/v1/orders/${order.id}`);
    trades.acknowledge(placing, order, response.to);
    if (!this.#market.orders.has(Number(order.id))) this.#market.learn(order);
  }

  /** Sends a change of an order and records its response. */
  async #sendUpdate(id: number, status: OrderStatus, signal?: AbortSignal): Promise<Order | undefined> {
    const body = `{"status":"${status}"}`;
    const call: Call = { method: "PATCH", path: `/orders/${id}`, body, ...(signal && { signal }) };
    const { trades } = this.knowledge.history;
    const updating: Updating = trades.intendUpdate(id, status, this.curl(call));
    const response = await this.send(call);
    if (!response) return undefined;
    if (response.status !== 409) expectStatus(response, 200);
    const order = response.status === 200 ? orderOf(parseExact(response.body)) : undefined;
    trades.settle(updating, order, response.to);
    return order && this.#market.learn(order);
  }

  #intend(animal: number, key?: string): Placing {
    const call = this.#placeCall(animal, key);
    const placing = this.knowledge.history.trades.intend(animal, this.curl(call));
    if (key !== undefined) this.#market.keyed.push({ key, placing });
    return placing;
  }

  #placeCall(animal: number, key?: string): Call {
    return post("/orders", `{"petId":${writeInteger(BigInt(animal), this.random)}}`, key);
  }
}
