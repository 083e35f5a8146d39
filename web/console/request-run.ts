import { randomId } from "../../client/request.ts";
import type { Call, CallResponse } from "../browser/call.ts";
import { messageOf } from "../browser/refusal.ts";
import { patientCall } from "./patient-call.ts";
import type { Service } from "./service.ts";

/** An item whose request the service refused. */
export interface Refused<Item> {
  readonly item: Item;
  readonly why: string;
}

/** The progress of a run. */
export interface RunProgress<Item> {
  /** How many requests did what they should. */
  readonly done: number;
  readonly refused: readonly Refused<Item>[];
  /** Why the service is asked again; empty while it answers. */
  readonly waiting: string;
}

/** Why a run does not go on: the response's status, or the reader's wish. */
export type RunEnd =
  | { readonly kind: "done" | "stopped" | "key refused" }
  | { readonly kind: "forbidden"; readonly message: string };

/**
 * Posts a request for each of some items, one after the other. Each has an `Idempotency-Key` of its own for as long as the
 * run lasts: a request whose response was lost is sent again, and is carried out once.
 */
export class RequestRun<Item> {
  readonly #service: Pick<Service, "call">;
  readonly #requests: readonly { readonly item: Item; readonly key: string }[];
  readonly #callOf: (item: Item) => Pick<Call, "path" | "body">;
  readonly #isDone: (response: CallResponse) => boolean;
  #next = 0;
  #done = 0;
  readonly #refused: Refused<Item>[] = [];

  /** @param isDone whether a response says that its request did what it should; any other is a refusal */
  constructor(
    service: Pick<Service, "call">,
    items: readonly Item[],
    callOf: (item: Item) => Pick<Call, "path" | "body">,
    isDone: (response: CallResponse) => boolean,
  ) {
    this.#service = service;
    this.#requests = items.map((item) => ({ item, key: randomId() }));
    this.#callOf = callOf;
    this.#isDone = isDone;
  }

  /** How many requests the service has carried out or refused. */
  get settled(): number {
    return this.#next;
  }

  /** The items whose requests were not settled. */
  get rest(): readonly Item[] {
    return this.#requests.slice(this.#next).map(({ item }) => item);
  }

  /** Begins, or continues where it stopped. */
  async run(signal: AbortSignal, onProgress: (progress: RunProgress<Item>) => void): Promise<RunEnd> {
    const report = (waiting: string) =>
      onProgress({ done: this.#done, refused: [...this.#refused], waiting });
    report("");
    for (let at = this.#requests[this.#next]; at; at = this.#requests[this.#next]) {
      const { item, key } = at;
      const headers = { "Content-Type": "application/json", "Idempotency-Key": key };
      const call = { method: "POST", headers, ...this.#callOf(item) };
      const response = await patientCall(this.#service, call, signal, report);
      if (!response) return { kind: "stopped" };
      if (response.status === 401) return { kind: "key refused" };
      if (response.status === 403) return { kind: "forbidden", message: messageOf(response) };
      if (this.#isDone(response)) this.#done++;
      else this.#refused.push({ item, why: messageOf(response) });
      this.#next++;
      report("");
      if (signal.aborted) return { kind: this.#next < this.#requests.length ? "stopped" : "done" };
    }
    return { kind: "done" };
  }
}
