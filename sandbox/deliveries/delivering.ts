import { deliver } from "../../relay/deliver.ts";
import { type Message, messageOf } from "../../relay/message.ts";
import { localOnly, systemResolve } from "../../relay/public-address.ts";
import type { Secret } from "../../relay/secrets.ts";
import { type Outcome, Target } from "../../relay/target.ts";
import type { Wire } from "../../relay/wire.ts";
import type { ChangeEvent, EventType } from "../../src/domain/change-event.ts";
import { representEvent } from "../../src/operations/event-representation.ts";
import { VERSION } from "../../src/system/version.ts";
import type { FaultPlan } from "../fault-plan.ts";
import type { DeliveryFault, Fault } from "../faults.ts";
import type { ClockWaits } from "./clock-waits.ts";
import type { DeliveryEntry } from "./delivery-entry.ts";
import type { DeliveryList } from "./delivery-list.ts";
import { sent } from "./sent.ts";

/** The pauses before an attempt is repeated grow between these, in milliseconds: a test does not wait as long as a relay. */
const PAUSE_MIN_MS = 50;
const PAUSE_MAX_MS = 1000;
const ENDED = "the deliveries to this address were ended";

/** The events of the store that a space has at present. */
export interface SpaceEvents {
  newestEventId(): Promise<bigint>;
  /** The events of these types after the one with this id, oldest first; none once the store is closed. */
  eventsAfter(types: readonly EventType[], id: bigint): Promise<readonly ChangeEvent[]>;
}

/** What an address is to get, and how. */
export interface Wish {
  readonly url: URL;
  readonly types: readonly EventType[];
  /** `whsec_…`, two of them during a rotation. */
  readonly secret: string;
  readonly secrets: readonly Secret[];
  readonly former: { readonly text: string; readonly secret: Secret };
  /** Milliseconds until the head of the response must be here. */
  readonly timeoutMs: number;
}

interface DeliveringOptions {
  /** The number of the address. */
  readonly id: number;
  readonly wish: Wish;
  readonly plan: FaultPlan;
  readonly list: DeliveryList;
  readonly waits: ClockWaits;
}

/** A delivery whose turn it is. */
interface Turn {
  readonly entry: DeliveryEntry;
  readonly fault: Fault<DeliveryFault> | undefined;
}

/** An event, and how often it was posted. */
interface Posting {
  readonly message: Message;
  attempts: number;
}

/** Delivers the events of a space to an address, as a relay does, with the faults of the space's plan. */
export class Delivering {
  readonly id: number;
  readonly #options: DeliveringOptions;
  readonly #target: Target;
  readonly #stop = new AbortController();
  #place: { readonly events: SpaceEvents; position: bigint };
  #news = Promise.withResolvers<void>();
  /** An event that goes after the next one. */
  #held: { readonly posting: Posting; readonly turn: Turn } | undefined;
  #ended: string | null = null;

  /** @param position the id of the event after which it begins */
  constructor(options: DeliveringOptions, events: SpaceEvents, position: bigint) {
    const { url, timeoutMs } = options.wish;
    this.id = options.id;
    this.#options = options;
    // Which addresses are allowed was decided when the name was accepted.
    this.#target = new Target({ url, allowPrivate: true, timeoutMs, resolve: localOnly(systemResolve) });
    this.#place = { events, position };
    this.#run().catch((error: Error) => {
      this.#ended = error.message;
    });
  }

  /** Looks for events soon: there may be more. */
  wake(): void {
    this.#news.resolve();
  }

  /** Goes on with another store, after this event; those before it were another store's. */
  follow(events: SpaceEvents, position: bigint): void {
    this.#place = { events, position };
    this.#dropHeld("a snapshot was restored before the event that it waited for came");
    this.wake();
  }

  /** Ends it at once, and an attempt in progress. */
  end(): void {
    this.#dropHeld(ENDED);
    this.#stop.abort(new Error(ENDED));
    this.wake();
  }

  #dropHeld(reason: string): void {
    this.#held?.turn.entry.ended({ kind: "dropped", reason });
    this.#held = undefined;
  }

  /** What the control interface shows. */
  toJSON() {
    const { url, types, secret, former, timeoutMs } = this.#options.wish;
    return {
      target: this.id,
      url: url.href,
      types,
      secret,
      formerSecret: former.text,
      timeoutMs,
      ended: this.#ended,
    };
  }

  /** Whether the receiver wants no more. */
  get hasEnded(): boolean {
    return this.#ended !== null;
  }

  /** @throws RelayEnd if the receiver wants no more; the reason of the signal when it is ended */
  async #run(): Promise<never> {
    const { types } = this.#options.wish;
    for (;;) {
      this.#stop.signal.throwIfAborted();
      this.#news = Promise.withResolvers();
      const place = this.#place;
      const events = await place.events.eventsAfter(types, place.position);
      for (const event of events) {
        this.#stop.signal.throwIfAborted();
        if (this.#place !== place) break;
        // The client's type tells animals from orders, which the representation leaves to its members.
        const message = messageOf(representEvent(event) as Message["event"]);
        await this.#take({ message, attempts: 0 });
        place.position = event.id;
      }
      if (events.length === 0 && this.#place === place) await this.#news.promise;
    }
  }

  /** Delivers an event and, after it, the event that has waited for it. */
  async #take(posting: Posting): Promise<void> {
    const turn = this.#turnOf(posting);
    if (turn.fault?.fault === "delivery_swapped") {
      this.#held = { posting, turn };
      return;
    }
    await this.#deliver(posting, turn);
    const held = this.#held;
    this.#held = undefined;
    if (held) await this.#deliver(held.posting, held.turn);
  }

  /** @param first the turn of the first attempt */
  async #deliver(posting: Posting, first: Turn): Promise<void> {
    const { wish, waits } = this.#options;
    const { signal } = this.#stop;
    let next: Turn | undefined = first;
    const post = (wire: Wire): Promise<Outcome> => {
      const turn = next ?? this.#turnOf(posting);
      next = undefined;
      return this.#post(posting, wire, turn);
    };
    await deliver(posting.message, {
      target: { post },
      secrets: wish.secrets,
      agent: `animal-store-relay/${VERSION}`,
      notify: () => {},
      // Receivers compare timestamps with the real time.
      clock: { now: Date.now, random: Math.random, sleep: waits.sleep },
      backOff: shortBackOff,
      stop: signal,
      cut: signal,
    });
  }

  async #post(posting: Posting, wire: Wire, turn: Turn): Promise<Outcome> {
    const outcome = await this.#send(wire, turn);
    if (turn.fault?.fault !== "delivery_twice" || outcome.kind !== "delivered") return outcome;
    return this.#send(wire, { entry: this.#entryOf(posting), fault: undefined });
  }

  async #send(wire: Wire, turn: Turn): Promise<Outcome> {
    const outcome = await this.#attempt(wire, turn).catch((error: Error) => {
      turn.entry.ended({ kind: "dropped", reason: error.message });
      throw error;
    });
    turn.entry.ended(outcome);
    return outcome;
  }

  /** @throws the reason of the signal when the deliveries are ended */
  async #attempt(wire: Wire, { entry, fault }: Turn): Promise<Outcome> {
    const { wish, waits } = this.#options;
    const { signal } = this.#stop;
    if (fault?.fault === "delivery_late") await waits.sleep(fault.delayMs, signal);
    const { secrets, former } = wish;
    const posted = sent(wire, fault, { secrets, formerSecret: former.secret });
    entry.left(posted);
    return this.#target.post(posted, signal, (response) => entry.answered(response));
  }

  /** An attempt with the fault that the plan has for it. */
  #turnOf(posting: Posting): Turn {
    const entry = this.#entryOf(posting);
    const event = posting.message.event.type;
    const canSwap = !this.#held && posting.attempts === 1;
    const taken = this.#options.plan.takeForDelivery({ id: entry.id, event, canSwap });
    if (taken) entry.fault = { fault: taken.fault.fault, rule: taken.rule };
    return { entry, fault: taken?.fault };
  }

  #entryOf(posting: Posting): DeliveryEntry {
    posting.attempts++;
    return this.#options.list.add(this.id, posting.message, posting.attempts);
  }
}

/** As long as the receiver asks for with `Retry-After`, and a moment otherwise. */
function shortBackOff(failures: number, retryAfterMs = 0, _random: number, leftMs: number): number {
  const pauseMs = Math.min(PAUSE_MIN_MS * 2 ** (failures - 1), PAUSE_MAX_MS);
  return Math.min(Math.max(pauseMs, retryAfterMs), leftMs);
}
