import type { Access, Need } from "./access.ts";
import { type Animal, animalOf, type Content, parseExact, type Status, show, wholeAnimal } from "./animal.ts";
import { type Call, type Client, type ClientResponse, showResponse } from "./client.ts";
import { assert, assertSame, BrokenPromise, ContractViolation, Inconclusive } from "./contract-violation.ts";
import { operationOf, type Scope } from "./operations.ts";
import { textsOf } from "./optional-text.ts";
import {
  animalStatusUnder,
  bodyOf,
  ORDER_TEXTS,
  type Order,
  type OrderStatus,
  orderOf,
  showOrder,
  wholeOrder,
} from "./order.ts";
import { checkResponse } from "./responses.ts";

/** A status, with the code of an Error: `404 animal_not_found`. */
type Outcome = `${number}` | `${number} ${string}`;

/** Requests that must all get the same outcome. */
export interface Cases {
  readonly outcome: Outcome;
  /** A part of the Error's message, which must name what is wrong. */
  readonly says?: string;
  /** A string is the path of a GET. */
  readonly calls: readonly (Call | string)[];
}

/** A group of related cases, and the promise that they verify. */
export interface Group {
  readonly name: string;
  readonly promise: string;
  readonly needs: readonly Need[];
  /** In their order, each by what it shows. */
  readonly cases: Readonly<Record<string, (session: ContractSession) => Promise<void>>>;
}

/** Runs the cases of a group one after the other, up to the first that fails. */
export async function runCases({ cases }: Group, session: ContractSession): Promise<void> {
  for (const run of Object.values(cases)) await run(session);
}

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

/** A response and what it holds. */
interface Read<Item> {
  readonly item: Item;
  readonly headers: Headers;
  /** The request, as a `curl` command. */
  readonly request: string;
}

/** Sends requests to a service, judges each response, and records which responses were seen. */
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

  /**
   * Sends a request.
   *
   * @param says a part of the Error's message, which must name what is wrong
   * @throws BrokenPromise unless it gets this outcome; Inconclusive for a 503 that was not provoked
   */
  async ask(request: Call | string, outcome: Outcome, says = ""): Promise<ClientResponse> {
    const call = callOf(request);
    const response = await this.client.send(call);
    this.#requests++;
    this.#onRequest();
    const operation = operationOf(call);
    const [status, code] = outcome.split(" ");
    // Where nothing is offered at a path, no operation answered.
    if (operation && code !== "path_not_found") this.exercised.add(`${operation} ${response.status}`);
    if (response.status === 503 && status !== "503") throw Inconclusive.of503(response.body);
    assert(`${response.status}` === status, outcome, showResponse(response), this.client.curl(call));
    this.judge(call, () => {
      const requestId = new Headers(call.headers).get("x-request-id");
      const error = checkResponse({ method: call.method, requestId, operation }, response, response.body);
      if (code === undefined || !error) return;
      if (error.code !== code)
        throw new ContractViolation(`the code is ${error.code}, and ${code} was expected`);
      if (!error.message.includes(says))
        throw new ContractViolation(`the message does not name ${says}: ${error.message}`);
    });
    return response;
  }

  /** Sends the requests of a table one after the other. */
  async askAll(table: readonly Cases[]): Promise<void> {
    for (const { outcome, says, calls } of table)
      for (const call of calls) await this.ask(call, outcome, says);
  }

  /** Sends a request and reads the JSON of its response. */
  async read<Item>(
    request: Call | string,
    read: (value: unknown) => Item,
    outcome: Outcome = "200",
  ): Promise<Read<Item>> {
    const call = callOf(request);
    const { body, headers } = await this.ask(call, outcome);
    const item = this.judge(call, () => read(parseExact(body)));
    return { item, headers, request: this.client.curl(call) };
  }

  /** Runs a check of a response; a violation is reported with its request. */
  judge<Result>(request: Call | string, judgement: () => Result): Result {
    try {
      return judgement();
    } catch (error) {
      if (!(error instanceof ContractViolation)) throw error;
      const expected = "a response as the contract requires";
      throw new BrokenPromise({
        expected,
        actual: error.message,
        request: this.client.curl(callOf(request)),
      });
    }
  }

  /** A name with the prefix. */
  name(rest: string): string {
    return `${this.prefix}${rest}`;
  }

  /** Creates an animal and compares the response with its content. */
  async create(call: Omit<Call, "path">, content: Content): Promise<Animal> {
    const created = await this.read({ path: "/pets", ...call }, animalOf, "201");
    const animal = created.item;
    assertSame(show(animal), show(content), created.request);
    this.#expectLocation(created, `/pets/${animal.id}`);
    const known = this.animals.find(({ id }) => id === animal.id);
    if (!known) this.animals.push(animal);
    return animal;
  }

  /** Adds an animal for a test of something else, which shows whether each of its members comes back there too. */
  add(name: string, status: Status = "available"): Promise<Animal> {
    const content = wholeAnimal({ name: this.name(name), categoryId: 1n, status });
    return this.create({ body: show(content) }, content);
  }

  /** Places an order and compares the response with what was asked for. */
  async place(petId: bigint, call: Call = placing(petId)): Promise<Order> {
    const placed = await this.read(call, orderOf, "201");
    const order = placed.item;
    assertSame(`an order for animal ${order.petId}`, `an order for animal ${petId}`, placed.request);
    assert(order.status === "placed", "an order with the status placed", order.status, placed.request);
    assertSame(bodyOf(order), bodyOf({ petId, ...textsSentBy(call) }), placed.request);
    this.#expectLocation(placed, `/orders/${order.id}`);
    this.orders.add(order.id);
    this.#becomes(petId, "pending");
    return order;
  }

  /** Gives an order another status, and compares the response with what was asked for. */
  async update(order: Order, status: OrderStatus, headers: Record<string, string> = {}): Promise<Order> {
    const call = { ...updating(order.id, status), headers };
    const { item: updated, request } = await this.read(call, orderOf);
    const expected = { ...order, status, updatedAt: updated.updatedAt };
    const changes = status !== order.status;
    const isTimely = changes ? updated.updatedAt >= order.updatedAt : updated.updatedAt === order.updatedAt;
    assert(
      isTimely && showOrder(updated) === showOrder(expected),
      showOrder(expected),
      showOrder(updated),
      request,
    );
    if (changes) this.#becomes(order.petId, animalStatusUnder(status));
    return updated;
  }

  #expectLocation({ headers, request }: Read<unknown>, path: string): void {
    const location = headers.get("location") ?? "";
    const expected = this.client.fromRoot(path);
    const found = new URL(location, this.client.base).pathname;
    assert(found === expected, `Location: ${expected}`, location, request);
  }

  /** Records that an order has changed the status of an animal. */
  #becomes(id: bigint, status: Status): void {
    const at = this.animals.findIndex((animal) => animal.id === id);
    const animal = this.animals[at];
    if (animal) this.animals[at] = { ...animal, status };
  }
}

/** A request that orders an animal. */
export function placing(petId: bigint, body = bodyOf(wholeOrder(petId))): Call {
  return { path: "/orders", body };
}

/** The texts of an order that a request has in its body. */
function textsSentBy({ body = "" }: Call): object {
  return Object.fromEntries(textsOf(ORDER_TEXTS, JSON.parse(`${body}`)));
}

/** A request that gives an order another status. */
export function updating(id: bigint | string, status: OrderStatus): Call {
  return { method: "PATCH", path: `/orders/${id}`, body: `{"status":"${status}"}` };
}

function callOf(request: Call | string): Call {
  return typeof request === "string" ? { path: request } : request;
}
