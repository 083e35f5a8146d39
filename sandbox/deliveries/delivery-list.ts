import type { Message } from "../../relay/message.ts";
import type { JournalMemory } from "../journal-memory.ts";
import { DeliveryEntry, type DeliveryFilter, type DeliveryFilterName } from "./delivery-entry.ts";

/** The deliveries that a list keeps; older ones leave it. */
const ENTRIES_MAX = 1000;

/** The deliveries of a space, in the order in which they had their turns. */
export class DeliveryList {
  readonly #memory: JournalMemory;
  readonly #began = performance.now();
  readonly #elapsedMs = () => performance.now() - this.#began;
  /** Called whenever a delivery has ended, and when the list is emptied. */
  readonly #waiting = new Set<() => void>();
  #entries: DeliveryEntry[] = [];
  #bytes = 0;
  #lastId = 0;
  /** The last delivery that was deleted, and so has not left by itself. */
  #deletedId = 0;
  #clearings = 0;
  readonly #changed = (bytes: number) => {
    this.#bytes += bytes;
    this.#memory.grow(bytes);
    for (const look of [...this.#waiting]) look();
  };

  /** @param memory that the journals of all spaces share */
  constructor(memory: JournalMemory) {
    this.#memory = memory;
    memory.join(this);
  }

  /** An estimate of the memory that it takes. */
  get bytes(): number {
    return this.#bytes;
  }

  /** Adds a delivery whose turn it is. @param attempt of this event to this address, from 1 */
  add(target: number, message: Message, attempt: number): DeliveryEntry {
    const facts = { id: ++this.#lastId, target, message, attempt };
    const entry = new DeliveryEntry(facts, this.#elapsedMs, this.#changed);
    this.#entries.push(entry);
    if (this.#entries.length > ENTRIES_MAX) this.#drop(1);
    this.#memory.trim();
    return entry;
  }

  /**
   * The deliveries that a filter admits, in their order.
   *
   * @param after only deliveries after the one with this id
   * @param limit how many to show; all of them are counted
   */
  find(filter: DeliveryFilter, after: number, limit: number) {
    const found = this.#found(filter, after);
    const dropped = (this.#entries[0]?.id ?? this.#lastId + 1) - 1 - this.#deletedId;
    return { count: found.length, dropped, deliveries: found.slice(0, limit) };
  }

  /**
   * Resolves once a filter admits so many deliveries that have ended, or the time is up, or the list has been emptied.
   *
   * @param after only deliveries after the one with this id
   */
  reach(filter: DeliveryFilter, after: number, count: number, milliseconds: number): Promise<void> {
    const ended = () => this.#found(filter, after).filter(({ hasEnded }) => hasEnded).length;
    if (ended() >= count) return Promise.resolve();
    const { promise, resolve } = Promise.withResolvers<void>();
    const clearings = this.#clearings;
    const look = () => {
      if (ended() >= count || this.#clearings !== clearings) leave();
    };
    const leave = () => {
      this.#waiting.delete(look);
      clearTimeout(timer);
      resolve();
    };
    const timer = setTimeout(leave, milliseconds);
    this.#waiting.add(look);
    return promise;
  }

  /** Deletes all deliveries, and ends every wait for more. Ids go on from the last one. */
  clear(): void {
    this.#drop(this.#entries.length);
    this.#deletedId = this.#lastId;
    this.#clearings++;
    for (const look of [...this.#waiting]) look();
  }

  /** Lets the oldest tenth of its deliveries go. */
  shrink(): void {
    this.#drop(Math.ceil(this.#entries.length / 10));
  }

  /** Frees what it takes. Deliveries in progress may still write into it. */
  end(): void {
    this.clear();
    this.#memory.leave(this);
  }

  #found(filter: DeliveryFilter, after: number): readonly DeliveryEntry[] {
    const wanted = Object.entries(filter) as [DeliveryFilterName, string][];
    return this.#entries.filter(
      (entry) => entry.id > after && wanted.every(([name, value]) => entry.valueOf(name) === value),
    );
  }

  #drop(count: number): void {
    for (const entry of this.#entries.splice(0, count)) entry.leave();
  }
}
