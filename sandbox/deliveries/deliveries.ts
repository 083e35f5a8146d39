import type { SandboxClock } from "../clock.ts";
import type { FaultPlan } from "../fault-plan.ts";
import type { JournalMemory } from "../journal-memory.ts";
import { ClockWaits } from "./clock-waits.ts";
import { Delivering, type SpaceEvents, type Wish } from "./delivering.ts";
import { DeliveryList } from "./delivery-list.ts";

/** Addresses of a space that get deliveries at once. */
export const TARGETS_MAX = 10;

interface DeliveriesOptions {
  readonly plan: FaultPlan;
  readonly clock: SandboxClock;
  /** That the journals of all spaces share. */
  readonly memory: JournalMemory;
}

/** The addresses that get the events of a space, and what was delivered to them. */
export class Deliveries {
  readonly list: DeliveryList;
  readonly #plan: FaultPlan;
  readonly #waits: ClockWaits;
  readonly #targets = new Map<number, Delivering>();
  #lastTarget = 0;

  constructor({ plan, clock, memory }: DeliveriesOptions) {
    this.list = new DeliveryList(memory);
    this.#plan = plan;
    this.#waits = new ClockWaits(clock.now);
  }

  get targets(): readonly Delivering[] {
    return [...this.#targets.values()];
  }

  /**
   * Delivers each event from now on; `undefined` if there are as many addresses as there may be. An address that wants no more
   * makes room.
   *
   * @param newest the id of the newest event
   */
  add(wish: Wish, events: SpaceEvents, newest: bigint): Delivering | undefined {
    if (this.#targets.size >= TARGETS_MAX) {
      const ended = this.targets.find(({ hasEnded }) => hasEnded);
      if (!ended) return undefined;
      this.remove(ended.id);
    }
    const id = ++this.#lastTarget;
    const options = { id, wish, plan: this.#plan, list: this.list, waits: this.#waits };
    const added = new Delivering(options, events, newest);
    this.#targets.set(id, added);
    return added;
  }

  /** Looks for events soon: a request may have made some. */
  wake(): void {
    for (const target of this.#targets.values()) target.wake();
  }

  /** Goes on with the events of another store, after its newest. */
  async follow(events: SpaceEvents): Promise<void> {
    if (this.#targets.size === 0) return;
    const newest = await events.newestEventId();
    for (const target of this.#targets.values()) target.follow(events, newest);
  }

  /** To be called when the clock of the space was set. */
  clockChanged(): void {
    this.#waits.clockChanged();
  }

  /** Ends the deliveries to an address; whether there was such an address. */
  remove(id: number): boolean {
    this.#targets.get(id)?.end();
    return this.#targets.delete(id);
  }

  /** Ends all deliveries. The list of those so far stays. */
  removeAll(): void {
    for (const id of [...this.#targets.keys()]) this.remove(id);
  }

  /** Ends all deliveries, and forgets those so far. */
  reset(): void {
    this.removeAll();
    this.list.clear();
  }

  /** Ends all deliveries for good, and frees what the list takes. */
  end(): void {
    this.removeAll();
    this.list.end();
  }
}
