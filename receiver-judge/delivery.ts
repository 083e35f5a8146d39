import type { Wire } from "../relay/wire.ts";

/** What a delivery is about, as far as a judge must know it. */
export interface Told {
  /** Of the event: they ascend, since a receiver may keep the highest that it has seen. */
  readonly event: bigint;
  readonly animal: bigint;
  readonly status: string;
}

/** What is posted to a receiver. */
export interface Delivery extends Wire {
  /** `webhook-id`, or what would have been. */
  readonly id: string;
  readonly told: Told;
  /** How the body arrives: whole by default. */
  readonly arrives?: "cut" | "slowly";
}

/** What a receiver owes to a delivery; `anything` where only what follows matters. */
export type Due = "2xx" | "4xx" | "anything";

/** A delivery with what is due to it. */
export interface Planned {
  /** Completes "a delivery …", for evidence. */
  readonly what: string;
  readonly due: Due;
  readonly delivery: Delivery;
  /** Whether a receiver that accepts it must act on it as on every event, once. */
  readonly acts: boolean;
  /** Whether its work is waited for although a rule of its own says what became of it. */
  readonly isAwaited?: boolean;
  /**
   * Whether it is there for comparison: its opposite, so that a receiver which says the same to everything proves nothing.
   */
  readonly isTwin: boolean;
}

/** Deliveries in their order, made when they are sent: ids ascend, and time passes. */
export type Chain = () => Generator<Planned, void>;

/** How a receiver responded. */
type ReceiverResponse =
  | { readonly kind: "response"; readonly status: number }
  | { readonly kind: "none"; readonly reason: string }
  /** It took longer than a relay waits. */
  | { readonly kind: "late" };

/** A delivery that was sent. */
export interface Sent extends Planned {
  /** Of all, from 1. */
  readonly number: number;
  readonly response: ReceiverResponse;
}

/** Whether a receiver gave what was due; `undefined` where that cannot be told. */
export function isDue({ due, response }: Sent): boolean | undefined {
  if (due === "anything" || response.kind === "late") return undefined;
  if (response.kind === "none") return false;
  const { status } = response;
  // 410 ends all deliveries.
  return due === "2xx" ? isSuccess(status) : status >= 400 && status < 500 && status !== 410;
}

/** Whether it took longer than a relay waits; a body that is slow itself says nothing about the receiver. */
export function wasLate({ due, response }: Sent): boolean {
  return response.kind === "late" && due !== "anything";
}

export function wasAccepted({ response }: Sent): boolean {
  return response.kind === "response" && isSuccess(response.status);
}

function isSuccess(status: number): boolean {
  return status >= 200 && status < 300;
}

/** A delivery and what became of it, for evidence: `#3, a delivery signed with another secret, got 200`. */
export function described({ number, what, response }: Sent): string {
  return `#${number}, a delivery ${what}, ${outcomeOf(response)}`;
}

function outcomeOf(response: ReceiverResponse): string {
  if (response.kind === "late") return "got no response in time";
  return response.kind === "response" ? `got ${response.status}` : `got no response (${response.reason})`;
}

/** The evidence of a delivery that got what was not due. */
export function wrongResponse(sent: Sent): string {
  const due =
    sent.due === "2xx"
      ? "2xx"
      : sent.response.kind === "response" && sent.response.status === 410
        ? "another 4xx"
        : "4xx";
  return `${described(sent)}, and ${due} would be right`;
}
