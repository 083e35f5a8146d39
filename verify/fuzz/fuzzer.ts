import { readFileSync } from "node:fs";
import { checkAgreement } from "../agreement.ts";
import { parseExact } from "../animal.ts";
import { Client } from "../client.ts";
import { errorOf } from "../contract/answers.ts";
import { BrokenPromise, ContractViolation } from "../contract-violation.ts";
import { checkFeed, walkEvents } from "../feed.ts";
import { Random } from "../random.ts";
import { walk, walkOrders } from "../walk.ts";
import { type FuzzAnswer, FuzzConnection, NoAnswer } from "./connection.ts";
import type { Expectation } from "./expectation.ts";
import { Generator, type Keys, type RawTurn } from "./generate.ts";
import { judge } from "./judge.ts";
import { Model, type Offer, storedOf } from "./model.ts";
import { encode, type FuzzRequest } from "./request.ts";

export interface FuzzOptions {
  /** The port of a service with an empty store that nobody else uses. */
  readonly port: number;
  readonly pid: number;
  readonly keys: Keys;
  readonly requests: number;
  readonly seed: number;
  readonly connections: number;
  /** Ends the run early when it returns true. */
  readonly enough?: () => boolean;
  /** Called ten times in a run. */
  readonly onProgress?: (progress: Progress) => void;
}

export interface Progress {
  readonly requests: number;
  readonly animals: number;
  /** Resident memory of the service in MiB, if the system reports it. */
  readonly memory: number | undefined;
}

/** What went wrong, with everything that is needed to repeat it. */
export interface Failure {
  readonly kind: string;
  readonly why: string;
  readonly sent: Buffer;
  readonly actual: FuzzAnswer | undefined;
}

export interface Report {
  readonly failure: Failure | undefined;
  /** The number of requests by kind and outcome. */
  readonly counts: ReadonlyMap<string, ReadonlyMap<string, number>>;
  /** After each tenth. */
  readonly progress: readonly Progress[];
}

/** The reason for a request without an answer in time. */
export const HANGS = "no answer came: it hangs";

/** How long to wait for an answer to bytes that may not be a whole request, in milliseconds. */
const SILENCE_MS = 15;
/** Above any number of connections. */
const CLIENTS_MAX = 1024;

/** Sends requests to a service until there are enough of them, or until an answer is wrong. */
export async function fuzz(options: FuzzOptions): Promise<Report> {
  // What STABILITY leaves out is answered as any unknown path.
  const client = clientOf(options);
  const [orders, events] = await Promise.all(
    ["/orders?limit=1", "/events?limit=1"].map((path) => client.send({ path })),
  );
  const run = new Run(options, { hasOrders: orders?.status !== 404, hasEvents: events?.status !== 404 });
  await run.throwAll();
  return run.report;
}

class Run {
  readonly #options: FuzzOptions;
  readonly #model: Model;
  readonly #counts = new Map<string, Map<string, number>>();
  readonly #progress: Progress[] = [];
  #begun = 0;
  #failure: Failure | undefined;

  constructor(options: FuzzOptions, offer: Offer) {
    this.#options = options;
    const { full, reading } = options.keys;
    this.#model = new Model(
      new Map([
        [full, ["pets:read", "pets:write", "orders:read", "orders:write", "events:read"]],
        [reading, ["pets:read"]],
      ]),
      offer,
    );
  }

  get report(): Report {
    return { failure: this.#failure, counts: this.#counts, progress: this.#progress };
  }

  async throwAll(): Promise<void> {
    const { connections, seed } = this.#options;
    await Promise.all(Array.from({ length: connections }, (_, id) => this.#work(seed, id)));
    if (this.#failure) return;
    await this.#walk().catch((error) => this.#fail("the stock in the end", error, Buffer.alloc(0)));
  }

  /** One client, which takes turns on one connection for as long as it lasts. */
  async #work(seed: number, id: number): Promise<void> {
    const { requests, keys, enough = () => false } = this.#options;
    const generator = new Generator(this.#model, keys, `${id}`);
    let connection: FuzzConnection | undefined;
    for (let at = 0; this.#begun < requests && !this.#failure && !enough(); at++) {
      // Each turn has its own random source: a turn that goes differently, because others were faster, does not
      // change the turns after it.
      const random = new Random(seed, at * CLIENTS_MAX + id);
      if (!connection || connection.closed || random.chance(0.01)) {
        connection?.close();
        connection = await this.#open();
      }
      // From here to what the model expects nothing waits: meanwhile it might forget a position that is in the request.
      const turn = generator.next(random);
      if ("bytes" in turn) {
        await this.#throwBytes(turn, connection, random);
        connection.close();
      } else {
        await this.#throwRequests(turn.requests, connection, random);
      }
    }
    connection?.close();
  }

  async #open(): Promise<FuzzConnection> {
    for (let tries = 0; ; tries++) {
      try {
        return await FuzzConnection.open(this.#options.port);
      } catch (error) {
        // Closed connections keep their ports for a while.
        if (tries === 50) throw error;
        await Bun.sleep(200);
      }
    }
  }

  async #throwRequests(
    together: readonly FuzzRequest[],
    connection: FuzzConnection,
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
    connection: FuzzConnection,
    sent: Buffer,
    isPipelined: boolean,
  ): Promise<void> {
    if (this.#failure) return;
    let actual: FuzzAnswer | undefined;
    try {
      const answer = await connection.next(request.method === "HEAD");
      // A server may close a connection with requests unanswered (RFC 9112, section 9.3.2). The runtime does so when a
      // request arrives while an earlier one on its connection waits for the store.
      if (answer === "closed" && isPipelined) return this.#count(request.kind, answer);
      if (answer === "closed") throw new ContractViolation("it closed the connection without an answer");
      if (answer === "silent") throw new ContractViolation(HANGS);
      actual = answer;
      judge(request, expectation, answer);
      // A stream lasts as long as its client listens.
      if (answer.headers.get("content-type") === "text/event-stream") connection.close();
      this.#count(request.kind, `${answer.status}`);
    } catch (error) {
      this.#fail(request.kind, error, sent, actual);
    }
  }

  /** Sends raw bytes. However the service reads them, its answers must be complete, and never a 5xx. */
  async #throwBytes(turn: RawTurn, connection: FuzzConnection, random: Random): Promise<void> {
    const { kind, bytes, refusedWith } = turn;
    this.#model.doubt(turn.doubtful);
    let actual: FuzzAnswer | undefined;
    try {
      await send(connection, bytes, random);
      for (let answers = 0; ; answers++) {
        const answer = await connection.next(isHead(bytes), refusedWith ? undefined : SILENCE_MS);
        if (typeof answer === "string") {
          if (refusedWith && (answer === "silent" || answers !== 1))
            throw new ContractViolation(`${answer} after ${answers} answers`);
          if (answers === 0) this.#count(kind, answer);
          return;
        }
        actual = answer;
        this.#checkUnexpected(answer, isHead(bytes));
        if (refusedWith && !refusedWith.includes(answer.status)) {
          throw new ContractViolation(`expected ${refusedWith}, and ${answer.status} came`);
        }
        this.#count(kind, `${answer.status}`);
      }
    } catch (error) {
      this.#fail(kind, error, bytes, actual);
    }
  }

  #checkUnexpected(answer: FuzzAnswer, toHead: boolean): void {
    const { status, headers, body } = answer;
    // 505, for an unknown version of HTTP, is the only allowed 5xx.
    if (status >= 500 && status !== 505) throw new ContractViolation(`a ${status}`);
    const isOurs = headers.has("x-request-id");
    if (isOurs && status >= 400 && !toHead) errorOf(status, headers, body);
    if (!isOurs && (body.length > 0 || headers.get("connection") !== "close"))
      throw new ContractViolation("an answer that is neither the program's nor a refusal by its HTTP parser");
    // The create is acknowledged, and no longer in doubt.
    if (status === 201) {
      this.#model.learn(storedOf(parseExact(body)));
      this.#model.doubt(-1);
    }
  }

  /** Reads the whole stock, by following the links. */
  async #walk(): Promise<void> {
    const client = clientOf(this.#options);
    const animals = await walk(client);
    this.#model.checkStock(animals.map((animal) => ({ ...animal, id: Number(animal.id) })));
    const orders = this.#model.orders && (await walkOrders(client));
    if (orders) {
      this.#model.orders?.checkAll(orders);
      checkAgreement(animals, orders);
    }
    if (this.#model.events) checkFeed(await walkEvents(client), animals, orders ?? []);
  }

  #count(kind: string, outcome: string): void {
    const outcomes = this.#counts.get(kind) ?? new Map<string, number>();
    this.#counts.set(kind, outcomes.set(outcome, (outcomes.get(outcome) ?? 0) + 1));
    const { requests, pid, onProgress } = this.#options;
    this.#begun++;
    if (this.#begun < Math.ceil((requests / 10) * (this.#progress.length + 1))) return;
    const progress = { requests: this.#begun, animals: this.#model.size, memory: residentMemory(pid) };
    this.#progress.push(progress);
    onProgress?.(progress);
  }

  #fail(kind: string, error: unknown, sent: Buffer, actual?: FuzzAnswer): void {
    const isFinding = [ContractViolation, BrokenPromise, NoAnswer].some((kind) => error instanceof kind);
    this.#failure ??= { kind, why: isFinding ? (error as Error).message : Bun.inspect(error), sent, actual };
  }
}

function clientOf({ port, keys }: FuzzOptions): Client {
  return new Client(`http://127.0.0.1:${port}/v1`, keys.full);
}

/** Sends bytes at once, or now and then in pieces, as networks do. */
async function send(connection: FuzzConnection, bytes: Buffer, random: Random): Promise<void> {
  const pieces = random.weighted([
    [95, 1],
    [4, random.between(2, 5)],
    [1, 40],
  ]);
  const size = Math.max(1, Math.ceil(bytes.length / pieces));
  for (let at = 0; at < bytes.length; at += size) {
    if (at > 0) await new Promise(setImmediate);
    connection.send(bytes.subarray(at, at + size));
  }
}

function isHead(bytes: Buffer): boolean {
  return bytes.toString("latin1", 0, 5) === "HEAD ";
}

function residentMemory(pid: number): number | undefined {
  if (process.platform !== "linux") return undefined;
  const [, kilobytes] = /VmRSS:\s+([0-9]+) kB/.exec(readFileSync(`/proc/${pid}/status`, "utf8")) ?? [];
  return Number(kilobytes) / 1024;
}
