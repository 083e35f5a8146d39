import type { Message } from "../../relay/message.ts";
import type { Outcome, Posted, Seen } from "../../relay/target.ts";
import { maskApiKeys } from "../../src/domain/api-key.ts";
import { rfc3339 } from "../../src/domain/time.ts";
import type { DeliveryFault } from "../faults.ts";

/** The part of a response that is kept: of its body in bytes, of its headers in characters. */
const BODY_MAX_BYTES = 16 * 1024;
const HEADERS_MAX_LENGTH = 8 * 1024;
/** An entry without what was sent and received. */
const ENTRY_BYTES = 1024;

/** An attempt to deliver an event. */
interface Attempt {
  /** In the order in which deliveries had their turns, from 1. */
  readonly id: number;
  /** The number of the address. */
  readonly target: number;
  readonly message: Message;
  /** Of this event to this address, from 1. */
  readonly attempt: number;
}

/** How an entry ended: an attempt that never came to an end was dropped. */
type End = Outcome | { readonly kind: "dropped"; readonly reason: string };

interface MetFault {
  readonly fault: DeliveryFault;
  /** The place of its rule in the plan. */
  readonly rule: number;
}

interface Sent {
  /** Milliseconds since 1970, by the real clock. */
  readonly at: number;
  readonly elapsedMs: number;
  readonly headers: Readonly<Record<string, string>>;
}

interface Received {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  readonly bodyIsWhole: boolean;
}

/** A delivery in the list, and what became of it. */
export class DeliveryEntry {
  readonly id: number;
  fault: MetFault | null = null;
  readonly #attempt: Attempt;
  readonly #elapsedMs: () => number;
  /** Tells the list that the entry has changed, and how many more bytes it takes. */
  #changed: (bytes: number) => void;
  #bytes = 0;
  #sent: Sent | undefined;
  #response: Received | null = null;
  #end: End | undefined;
  #endedMs: number | undefined;

  /** @param elapsedMs milliseconds since the list began, by a clock that nobody can set */
  constructor(attempt: Attempt, elapsedMs: () => number, changed: (bytes: number) => void) {
    this.id = attempt.id;
    this.#attempt = attempt;
    this.#elapsedMs = elapsedMs;
    this.#changed = changed;
    this.#grow(ENTRY_BYTES + attempt.message.body.length);
  }

  /** Notes that it leaves. */
  left({ headers }: Posted): void {
    this.#sent = { at: Date.now(), elapsedMs: this.#elapsedMs(), headers };
  }

  /** Notes the response. */
  answered({ status, headers, body, isWhole }: Seen): void {
    this.#response = {
      status,
      headers: firstOf(headers),
      body: Buffer.from(body.subarray(0, BODY_MAX_BYTES)).toString(),
      bodyIsWhole: isWhole && body.length <= BODY_MAX_BYTES,
    };
    this.#grow(JSON.stringify(this.#response).length);
  }

  /** Notes how it ended. */
  ended(end: End): void {
    this.#end = end;
    this.#endedMs = this.#elapsedMs();
    this.#changed(0);
  }

  get hasEnded(): boolean {
    return this.#end !== undefined;
  }

  /** To be called when it has left the list, which no longer counts what it takes. */
  leave(): void {
    this.#changed(-this.#bytes);
    this.#changed = () => {};
  }

  /** The value that a filter of this name compares. */
  valueOf(name: DeliveryFilterName): string | undefined {
    const { target, message, attempt } = this.#attempt;
    switch (name) {
      case "target":
        return `${target}`;
      case "event":
        return message.event.type;
      case "eventId":
        return `${message.event.id}`;
      case "attempt":
        return `${attempt}`;
      case "fault":
        return this.fault?.fault;
      case "status":
        return this.#response ? `${this.#response.status}` : undefined;
      case "outcome":
        return this.#end && outcomeOf(this.#end);
    }
  }

  /** What the control interface shows. */
  toJSON() {
    const { id, target, message, attempt } = this.#attempt;
    const { at, elapsedMs, headers = {} } = this.#sent ?? {};
    const durationMs =
      this.#endedMs === undefined || elapsedMs === undefined ? null : this.#endedMs - elapsedMs;
    return {
      id,
      target,
      event: message.event.type,
      eventId: JSON.rawJSON(`${message.event.id}`),
      attempt,
      fault: this.fault,
      at: at === undefined ? null : rfc3339(at),
      elapsedMs: elapsedMs ?? null,
      headers,
      body: message.body,
      outcome: this.#end ? outcomeOf(this.#end) : null,
      error: this.#end && "reason" in this.#end ? this.#end.reason : null,
      durationMs,
      response: this.#response && { ...this.#response, body: maskApiKeys(this.#response.body) },
    };
  }

  #grow(bytes: number): void {
    this.#bytes += bytes;
    this.#changed(bytes);
  }
}

/** The names by which deliveries can be selected. */
export const DELIVERY_FILTER_NAMES = [
  "target",
  "event",
  "eventId",
  "attempt",
  "fault",
  "status",
  "outcome",
] as const;

export type DeliveryFilterName = (typeof DELIVERY_FILTER_NAMES)[number];

/** The value that a delivery must have, by the name of the filter; a name that is left out admits all. */
export type DeliveryFilter = Readonly<Partial<Record<DeliveryFilterName, string>>>;

/** How a delivery can end: whether the receiver has accepted it, or whether it was dropped before that was known. */
export const OUTCOMES = ["delivered", "failed", "dropped"] as const;

/** A receiver that wants no more (410) has not accepted it either. */
function outcomeOf({ kind }: End): (typeof OUTCOMES)[number] {
  return kind === "gone" ? "failed" : kind;
}

/** As many of the headers as are kept, without API keys. */
function firstOf(headers: Headers): Readonly<Record<string, string>> {
  const kept: Record<string, string> = {};
  let length = 0;
  for (const [name, value] of headers) {
    length += name.length + value.length;
    if (length > HEADERS_MAX_LENGTH) break;
    kept[name] = maskApiKeys(value);
  }
  return kept;
}
