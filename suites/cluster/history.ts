import { expect } from "bun:test";
import type { Animal, Walker } from "../../test/support/walker.ts";

/** A create that was answered 201. Times are by the monotonic clock, in milliseconds. */
export interface Acknowledged extends Animal {
  readonly instance: number;
  /** When its first request was sent. */
  readonly begun: number;
  readonly at: number;
}

/** What clients were told, and what is wrong with it. */
export class History {
  readonly acknowledged: Acknowledged[] = [];
  /** When a page came, by instance. */
  readonly listed: { readonly instance: number; readonly at: number }[] = [];
  /** How often a client was told to try again later. */
  refused = 0;
  /** The oldest acknowledgement, in milliseconds before a list was asked for, that the list did not show. */
  staleMs = 0;

  /** Holds the stock, as each instance shows it, to what clients were told. */
  judgeStock(walkers: readonly Walker[]): void {
    const [{ seen }] = walkers as [Walker];
    for (const walker of walkers) expect(walker.seen).toEqual(seen);
    // The walkers have seen ids ascend; a name twice is a create that was done twice.
    expect(new Set(seen.map(({ name }) => name)).size).toBe(seen.length);
    const stock = new Map(seen.map(({ id, name }) => [id, name]));
    const lost = this.acknowledged.filter(({ id, name }) => stock.get(id) !== name);
    expect(lost).toEqual([]);
    this.#judgeOrder();
  }

  /** A create that began after another was acknowledged has the greater id. */
  #judgeOrder(): void {
    const byEnd = this.acknowledged.toSorted((a, b) => a.at - b.at);
    let ended = 0;
    let greatest: Acknowledged | undefined;
    for (const animal of this.acknowledged.toSorted((a, b) => a.begun - b.begun)) {
      for (let next = byEnd[ended]; next && next.at < animal.begun; next = byEnd[++ended]) {
        if (!greatest || next.id > greatest.id) greatest = next;
      }
      if (greatest && animal.id <= greatest.id) {
        throw new Error(`${JSON.stringify(animal)} began after ${JSON.stringify(greatest)} was acknowledged`);
      }
    }
  }
}
