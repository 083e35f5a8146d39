import {
  type Call,
  type Client,
  type ClientResponse,
  NoResponse,
  showResponse,
} from "../../contract/client.ts";
import { assert } from "../../contract/contract-violation.ts";
import { Random } from "../random.ts";
import type { Knowledge } from "./knowledge.ts";
import type { Span } from "./page-span.ts";

/** A client that gives up does so within this time, mostly before the response. */
const PATIENCE_MAX_MS = 6;

/** A response, with its request and the time that it took. */
export interface TimedResponse extends ClientResponse {
  readonly span: Span;
}

/** Sends a write; its outcome is unknown once the signal aborts it. */
type Sending = (signal?: AbortSignal) => Promise<unknown>;

/** How a client sends a write, as methods of `RandomActor`. */
export type Manner = "atOnce" | "untilAnswered" | "andForget";

/** One of several clients that act at the same time, whose steps are random. */
export abstract class RandomActor {
  protected readonly knowledge: Knowledge;
  protected readonly name: string;
  /** The part of the writes sent once that have an `Idempotency-Key`. */
  protected readonly keyed: number;
  /** The source of the current step. */
  protected random = new Random(0, 0);
  readonly #clients: readonly Client[];

  /** @param clients of the instances to which it may turn */
  constructor(clients: readonly Client[], knowledge: Knowledge, name: string, keyed: number) {
    this.#clients = clients;
    this.knowledge = knowledge;
    this.name = name;
    this.keyed = keyed;
  }

  /** Sends a request to any instance; `undefined` if it got 503: the store had no time, which proves nothing. */
  protected async send(call: Call): Promise<TimedResponse | undefined> {
    const client = this.random.pick(this.#clients);
    const response = await client.send(call);
    const { from, to, status } = response;
    if (status !== 503) return { ...response, span: { from, to, request: client.curl(call) } };
    this.knowledge.putOff++;
    return undefined;
  }

  /** Sends a write several times at once. */
  protected async atOnce(send: Sending): Promise<void> {
    await Promise.all(Array.from({ length: this.random.between(2, 4) }, () => send()));
  }

  /** Gives up early, then repeats a write until a response arrives. */
  protected async untilAnswered(send: Sending): Promise<void> {
    for (let tries = this.random.between(1, 3); tries > 0; tries--) await this.andForget(send);
    await send();
  }

  /** Gives up after a few milliseconds, mostly before the response: the write may be done or not. */
  protected async andForget(send: Sending): Promise<void> {
    const patience = AbortSignal.timeout(this.random.between(0, PATIENCE_MAX_MS));
    try {
      await send(patience);
    } catch (error) {
      if (!(error instanceof NoResponse) || !patience.aborted) throw error;
    }
  }

  /** A request for people. */
  protected curl(call: Call): string {
    return this.random.pick(this.#clients).curl(call);
  }

  /** A random item, if there is one. */
  protected any<Item>(items: readonly Item[]): Item | undefined {
    return items[this.random.below(2 ** 31) % items.length];
  }
}

/** @throws BrokenPromise unless a response has this status */
export function expectStatus(response: TimedResponse, expected: number): void {
  assert(response.status === expected, `${expected}`, showResponse(response), response.span.request);
}

/** @throws BrokenPromise unless the `Location` of a 201 is the path of what was created */
export function expectLocation({ headers, span }: TimedResponse, path: string): void {
  const location = headers.get("location");
  assert(location === path, `Location: ${path}`, `${location}`, span.request);
}

/** A request with a JSON body, and an `Idempotency-Key` if one is given. */
export function post(path: string, body: string, key?: string): Call {
  return { path, body, ...(key !== undefined && { headers: { "Idempotency-Key": key } }) };
}

/** A path with the query parameters that are set. */
export function withQuery(path: string, parameters: Readonly<Record<string, unknown>>): string {
  const pairs = Object.entries(parameters).filter(([, value]) => value !== undefined);
  return pairs.length > 0 ? `${path}?${pairs.map(([name, value]) => `${name}=${value}`).join("&")}` : path;
}
