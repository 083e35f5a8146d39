import { parseExact } from "../../contract/animal.ts";
import { Client, NoResponse } from "../../contract/client.ts";
import { BrokenPromise, ContractViolation, Inconclusive } from "../../contract/contract-violation.ts";
import { errorOf } from "../../contract/responses.ts";
import { checkAgreement } from "../agreement.ts";
import { checkFeed } from "../feed.ts";
import { Random } from "../random.ts";
import { walk, walkEvents, walkOrders } from "../walk.ts";
import { Conversation, type WireResponse } from "../wire/conversation.ts";
import { MalformedResponse } from "../wire/head.ts";
import { nextFinal, type Received, send } from "./exchange.ts";
import type { Expectation } from "./expectation.ts";
import { Generator } from "./generate.ts";
import type { RawTurn } from "./generate-bytes.ts";
import { judge } from "./judge.ts";
import { Model, type Offer } from "./model.ts";
import { encode, type FuzzRequest } from "./request.ts";
import type { Keys } from "./source.ts";
import { Tally, type TallyOptions } from "./tally.ts";

export interface FuzzOptions extends TallyOptions {
  /** The address of a service with an empty store that nobody else uses. */
  readonly address: string;
  readonly keys: Keys;
  readonly seed: number;
  readonly connections: number;
  /** Ends the run early when it returns true. */
  readonly enough?: () => boolean;
}

/** What went wrong, with everything that is needed to repeat it. */
export interface Failure {
  readonly kind: string;
  readonly why: string;
  readonly sent: Buffer;
  readonly actual: WireResponse | undefined;
}

export interface Report extends Pick<Tally, "progress"> {
  readonly failure: Failure | undefined;
  /** The number of requests by kind and outcome. */
  readonly counts: ReadonlyMap<string, ReadonlyMap<string, number>>;
}

/** The reason for a request without a response in time. */
export const HANGS = "no response came: it hangs";

/** How long a response may take, in milliseconds: longer is a hang. */
const DEADLINE_MS = 20_000;
/** How long to wait for a response to bytes that may not be a whole request, in milliseconds. */
const SILENCE_MS = 15;
/** Above any number of connections. */
const CLIENTS_MAX = 1024;

/**
 * Sends requests to a service until there are enough of them, or until a response is wrong.
 *
 * @throws Inconclusive or NoResponse if the stock cannot be read in the end
 */
export async function fuzz(options: FuzzOptions): Promise<Report> {
  // What STABILITY leaves out is answered as any unknown path.
  const client = clientOf(options);
  const [hasOrders, hasEvents, hasKey] = await Promise.all(
    (["/orders?limit=1", "/events?limit=1", "/key"] as const).map(
      async (path) => (await client.send({ path })).status !== 404,
    ),
  );
  const run = new Run(options, { hasOrders, hasEvents, hasKey } as Offer);
  await run.fuzzAll();
  return run.report;
}

class Run {
  readonly #options: FuzzOptions;
  readonly #model: Model;
  readonly #tally: Tally;
  #failure: Failure | undefined;

  constructor(options: FuzzOptions, offer: Offer) {
    this.#options = options;
    this.#tally = new Tally(options);
    const { full, reading } = options.keys;
    const all = ["pets:read", "pets:write", "orders:read", "orders:write", "events:read"];
    this.#model = new Model(new Map(Object.entries({ [full]: all, [reading]: ["pets:read"] })), offer);
  }

  get report(): Report {
    const { counts, progress } = this.#tally;
    return { failure: this.#failure, counts, progress };
  }

  async fuzzAll(): Promise<void> {
    const { connections } = this.#options;
    await Promise.all(Array.from({ length: connections }, (_, id) => this.#work(id)));
    if (this.#failure) return;
    await this.#walk().catch((error) => {
      // A service that does not answer now says nothing about what was sent.
      if (error instanceof Inconclusive || error instanceof NoResponse) throw error;
      this.#fail("the stock in the end", error, Buffer.alloc(0));
    });
  }

  /** One client, which takes turns on one connection for as long as it lasts. */
  async #work(id: number): Promise<void> {
    const { seed, keys, enough = () => false } = this.#options;
    const generator = new Generator(this.#model, keys, `${id}`);
    let connection: Conversation | undefined;
    for (let at = 0; !this.#tally.isComplete && !this.#failure && !enough(); at++) {
      // Each turn has its own random source: a turn that goes differently, because others were faster, does not
      // change the turns after it.
      const random = new Random(seed, at * CLIENTS_MAX + id);
      if (!connection || connection.over || random.chance(0.01)) {
        connection?.reset();
        connection = await this.#open();
      }
      // From here to what the model expects nothing waits: meanwhile it might forget a position that is in the request.
      const turn = generator.next(random);
      if ("bytes" in turn) {
        await this.#sendBytes(turn, connection, random);
        connection.reset();
      } else await this.#sendRequests(turn.requests, connection, random);
    }
    connection?.reset();
  }

  async #open(): Promise<Conversation> {
    for (let tries = 0; ; tries++) {
      try {
        return await Conversation.open(this.#options.address);
      } catch (error) {
        // Closed connections keep their ports for a while.
        if (tries === 50) throw error;
        await Bun.sleep(200);
      }
    }
  }

  async #sendRequests(
    together: readonly FuzzRequest[],
    connection: Conversation,
    random: Random,
  ): Promise<void> {
    const requests = together.map((request) => ({ request, expectation: this.#model.expect(request) }));
    const sent = Buffer.concat(requests.map(({ request }) => encode(request, random)));
    await send(connection, sent, random);
    for (const { request, expectation } of requests)
      await this.#receive(request, expectation, connection, sent, requests.length > 1);
  }

  async #receive(
    request: FuzzRequest,
    expectation: Expectation,
    connection: Conversation,
    sent: Buffer,
    isPipelined: boolean,
  ): Promise<void> {
    if (this.#failure) return;
    const isHead = request.method === "HEAD";
    await this.#judging(request.kind, sent, async (saw) => {
      const response = saw(await nextFinal(connection, isHead, DEADLINE_MS));
      // A server may close a connection with requests unanswered (RFC 9112, section 9.3.2). The runtime does so when a
      // request arrives while an earlier one on its connection waits for the store.
      if (response === "closed" && isPipelined) return this.#count(request.kind, response);
      if (response === "closed") throw new ContractViolation("it closed the connection without a response");
      if (response === "silent") throw new ContractViolation(HANGS);
      judge(request, expectation, response);
      // A stream lasts as long as its client listens.
      if (response.headers.get("content-type") === "text/event-stream") connection.reset();
      this.#count(request.kind, `${response.status}`);
    });
  }

  /** Sends raw bytes. However the service reads them, its responses must be complete, and never a 5xx. */
  async #sendBytes(turn: RawTurn, connection: Conversation, random: Random): Promise<void> {
    const { kind, bytes, refusedWith } = turn;
    const isHead = bytes.toString("latin1", 0, 5) === "HEAD ";
    this.#model.animals.doubt(turn.doubtful);
    await this.#judging(kind, bytes, async (saw) => {
      await send(connection, bytes, random);
      for (let responses = 0; ; responses++) {
        const response = saw(await nextFinal(connection, isHead, refusedWith ? DEADLINE_MS : SILENCE_MS));
        if (typeof response === "string") {
          if (refusedWith && (response === "silent" || responses !== 1))
            throw new ContractViolation(`${response} after ${responses} responses`);
          if (responses === 0) this.#count(kind, response);
          return;
        }
        this.#checkUnexpected(response, isHead);
        if (refusedWith && refusedWith !== response.status)
          throw new ContractViolation(`expected ${refusedWith}, and ${response.status} came`);
        this.#count(kind, `${response.status}`);
      }
    });
  }

  /** Runs a check of what came back for some bytes; `saw` notes each response for the report of a failure. */
  async #judging(
    kind: string,
    sent: Buffer,
    check: (saw: (response: Received) => Received) => Promise<void>,
  ): Promise<void> {
    let actual: WireResponse | undefined;
    const saw = (response: Received) => {
      if (typeof response !== "string") actual = response;
      return response;
    };
    await check(saw).catch((error) => this.#fail(kind, error, sent, actual));
  }

  #checkUnexpected({ status, headers, bytes }: WireResponse, toHead: boolean): void {
    // 505, for an unknown version of HTTP, is the only allowed 5xx.
    if (status >= 500 && status !== 505) throw new ContractViolation(`a ${status}`);
    const isOurs = headers.has("x-request-id");
    if (isOurs && status >= 400 && !toHead) errorOf(status, headers, bytes);
    if (!isOurs && (bytes.length > 0 || headers.get("connection") !== "close"))
      throw new ContractViolation(
        "a response that is neither the program's nor a refusal by its HTTP parser",
      );
    if (status === 201) this.#model.animals.learnDoubtful(parseExact(bytes));
  }

  /** Reads the whole stock, by following the links. */
  async #walk(): Promise<void> {
    const client = clientOf(this.#options);
    const { animals, orders, events } = this.#model;
    const stock = await walk(client);
    animals.checkStock(stock);
    const placed = orders ? await walkOrders(client) : [];
    orders?.checkAll(placed);
    checkAgreement(stock, placed);
    if (events) checkFeed(await walkEvents(client), stock, placed);
  }

  #count(kind: string, outcome: string): void {
    this.#tally.count(kind, outcome, this.#model.animals.size);
  }

  #fail(kind: string, error: unknown, sent: Buffer, actual?: WireResponse): void {
    const isFinding = [ContractViolation, BrokenPromise, MalformedResponse].some(
      (each) => error instanceof each,
    );
    this.#failure ??= { kind, why: isFinding ? (error as Error).message : Bun.inspect(error), sent, actual };
  }
}

function clientOf({ address, keys }: FuzzOptions): Client {
  return new Client(`${address}/v1`, keys.full);
}
