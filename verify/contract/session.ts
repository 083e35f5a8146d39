import { type Animal, animalOf, type Content, isSame, parseExact, type Status, show } from "../animal.ts";
import type { Answer, Call, Client } from "../client.ts";
import { assert, BrokenPromise, ContractViolation, Inconclusive } from "../contract-violation.ts";
import { animalStatusUnder, type Order, type OrderStatus, orderOf, showOrder } from "../order.ts";
import type { Access, Scope } from "./access.ts";
import { checkAnswer, errorOf, operationOf } from "./answers.ts";

/** Keys that lack something, which the service must refuse. */
export interface OtherKeys {
  /** By scope: a key that has all other scopes. */
  readonly without?: Readonly<Partial<Record<Scope, string>>>;
  readonly revoked?: string;
  readonly expired?: string;
}

interface SessionOptions {
  readonly client: Client;
  /** The prefix of every animal's name, by which the owner of the stock recognizes them. */
  readonly prefix: string;
  readonly access: Access;
  readonly others?: OtherKeys;
  readonly onRequest?: () => void;
}

/** The required answer to a request. */
interface Expected {
  readonly status: number;
  /** Of the Error. */
  readonly code?: string;
  /** A part of the Error's message, which must name what is wrong. */
  readonly says?: string;
}

/** Sends requests to a service, judges each answer, and records which answers were seen. */
export class ContractSession {
  readonly client: Client;
  readonly access: Access;
  readonly others: OtherKeys;
  /** Each operation and status that was seen, such as `listPets 200`. */
  readonly exercised = new Set<string>();
  /** The animals that were added, in order, as they are now. */
  readonly animals: Animal[] = [];
  /** The orders that were placed. */
  readonly orders = new Set<bigint>();
  /** Keeps the idempotency keys of this run apart from others. */
  readonly prefix: string;
  readonly #onRequest: () => void;
  #requests = 0;

  constructor({ client, prefix, access, others = {}, onRequest = () => {} }: SessionOptions) {
    this.client = client;
    this.prefix = prefix;
    this.access = access;
    this.others = others;
    this.#onRequest = onRequest;
  }

  get requests(): number {
    return this.#requests;
  }

  /** @throws BrokenPromise; Inconclusive for a 503 that was not provoked */
  async ask(call: Call, expected: Expected): Promise<Answer> {
    const answer = await this.client.send(call);
    this.#requests++;
    this.#onRequest();
    const operation = operationOf(call);
    const { status, code, says } = expected;
    // Where nothing is offered at a path, no operation answered.
    if (operation && code !== "path_not_found") this.exercised.add(`${operation} ${answer.status}`);
    const request = this.client.curl(call);
    if (answer.status === 503 && status !== 503) throw Inconclusive.of503(answer.body);
    const details = `${answer.status}: ${answer.body.toString().slice(0, 300)}`;
    assert(answer.status === status, `${status}${code ? ` ${code}` : ""}`, details, request);
    this.judge(call, () => {
      checkAnswer(call, answer);
      if (code === undefined || call.method === "HEAD") return;
      const error = errorOf(status, answer.headers, answer.body);
      if (error.code !== code)
        throw new ContractViolation(`the code is ${error.code}, and ${code} was expected`);
      if (says !== undefined && !error.message.includes(says))
        throw new ContractViolation(`the message does not name ${says}: ${error.message}`);
    });
    return answer;
  }

  /** Runs a check of an answer; a violation is reported with its request. */
  judge<Result>(call: Call, judgement: () => Result): Result {
    try {
      return judgement();
    } catch (error) {
      if (!(error instanceof ContractViolation)) throw error;
      const expected = "an answer as the contract requires";
      throw new BrokenPromise({ expected, actual: error.message, request: this.client.curl(call) });
    }
  }

  /** A name with the prefix. */
  name(rest: string): string {
    return `${this.prefix}${rest}`;
  }

  /** Creates an animal and compares the answer with its content. */
  async create(call: Call, content: Content): Promise<Animal> {
    const answer = await this.ask(call, { status: 201 });
    const request = this.client.curl(call);
    const animal = this.judge(call, () => animalOf(parseExact(answer.body)));
    assert(isSame(animal, content), show(content), show(animal), request);
    const location = answer.headers.get("location") ?? "";
    const path = `${new URL(this.client.base).pathname}/pets/${animal.id}`;
    assert(new URL(location, this.client.base).pathname === path, `Location: ${path}`, location, request);
    const known = this.animals.find(({ id }) => id === animal.id);
    if (!known) this.animals.push(animal);
    return animal;
  }

  /** Adds an animal for a test of something else. */
  add(name: string, status: Status = "available"): Promise<Animal> {
    const content = { name: this.name(name), categoryId: 1n, status };
    return this.create({ path: "/pets", body: show(content) }, content);
  }

  /** Expects each of some queries to be refused for one parameter. */
  async refuseQueries(path: string, parameter: string, queries: readonly string[]): Promise<void> {
    const expected = { status: 400, code: "invalid_parameter", says: `\`${parameter}\`` };
    for (const query of queries) await this.ask({ path: `${path}?${query}` }, expected);
  }

  /** Places an order and compares the answer with what was asked for. */
  async place(petId: bigint, call: Call = placing(petId)): Promise<Order> {
    const answer = await this.ask(call, { status: 201 });
    const request = this.client.curl(call);
    const order = this.judge(call, () => orderOf(parseExact(answer.body)));
    assert(
      order.petId === petId,
      `an order for animal ${petId}`,
      `an order for animal ${order.petId}`,
      request,
    );
    assert(order.status === "placed", "an order with the status placed", order.status, request);
    const location = answer.headers.get("location") ?? "";
    const path = `${new URL(this.client.base).pathname}/orders/${order.id}`;
    assert(new URL(location, this.client.base).pathname === path, `Location: ${path}`, location, request);
    this.orders.add(order.id);
    this.#becomes(petId, "pending");
    return order;
  }

  /** Gives an order another status, and compares the answer with what was asked for. */
  async update(order: Order, status: OrderStatus, headers: Record<string, string> = {}): Promise<Order> {
    const call = { method: "PATCH", path: `/orders/${order.id}`, body: `{"status":"${status}"}`, headers };
    const answer = await this.ask(call, { status: 200 });
    const updated = this.judge(call, () => orderOf(parseExact(answer.body)));
    const expected = { ...order, status, updatedAt: updated.updatedAt };
    const isAsAsked =
      showOrder(updated) === showOrder(expected) &&
      (status === order.status
        ? updated.updatedAt === order.updatedAt
        : updated.updatedAt >= order.updatedAt);
    assert(isAsAsked, showOrder(expected), showOrder(updated), this.client.curl(call));
    if (status !== order.status) this.#becomes(order.petId, animalStatusUnder(status));
    return updated;
  }

  /** Records that an order has changed the status of an animal. */
  #becomes(id: bigint, status: Status): void {
    const at = this.animals.findIndex((animal) => animal.id === id);
    const animal = this.animals[at];
    if (animal) this.animals[at] = { ...animal, status };
  }
}

/** A request that orders an animal. */
export function placing(petId: bigint, body = `{"petId":${petId}}`): Call {
  return { path: "/orders", body };
}

/** A group of related requests, and the promise that they verify. */
export interface Group {
  readonly name: string;
  readonly promise: string;
  readonly needs: readonly Scope[];
  run(session: ContractSession): Promise<void>;
}
