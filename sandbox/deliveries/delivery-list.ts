import type { Message } from "../../relay/message.ts";
import { EntryList } from "../entry-list.ts";
import { DeliveryEntry, type DeliveryFilter, type DeliveryFilterName } from "./delivery-entry.ts";

/** The deliveries that a list keeps; older ones leave it. */
const ENTRIES_MAX = 1000;

/** The deliveries of a space, in the order in which they had their turns. */
export class DeliveryList extends EntryList<DeliveryEntry> {
  readonly #elapsed = () => this.elapsedMs;
  /** Called whenever a delivery has ended, and when the list is emptied. */
  readonly #waiting = new Set<() => void>();
  #clearings = 0;
  readonly #changed = (bytes: number) => {
    this.grow(bytes);
    this.#look();
  };

  /** Adds a delivery whose turn it is. @param attempt of this event to this address, from 1 */
  add(target: number, message: Message, attempt: number): DeliveryEntry {
    const make = (id: number) =>
      new DeliveryEntry({ id, target, message, attempt }, this.#elapsed, this.#changed);
    return this.keep(make, (count) => Math.max(0, count - ENTRIES_MAX));
  }

  /**
   * The deliveries that a filter admits, in their order.
   *
   * @param after only deliveries after the one with this id
   * @param limit how many to show; all of them are counted
   */
  find(filter: DeliveryFilter, after: number, limit: number) {
    const found = this.#found(filter, after);
    const dropped = this.droppedBefore(this.entries[0]);
    return { count: found.length, dropped, deliveries: found.slice(0, limit) };
  }

  /**
   * Resolves when enough of the deliveries that a filter admits have ended, when the time is up, or when the list is emptied.
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
  override clear(): void {
    super.clear();
    this.#clearings++;
    this.#look();
  }

  #look(): void {
    for (const look of [...this.#waiting]) look();
  }

  #found(filter: DeliveryFilter, after: number): readonly DeliveryEntry[] {
    const wanted = Object.entries(filter) as [DeliveryFilterName, string][];
    return this.entries.filter(
      (entry) => entry.id > after && wanted.every(([name, value]) => entry.valueOf(name) === value),
    );
  }
}
