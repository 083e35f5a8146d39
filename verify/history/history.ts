import { type Animal, type Content, isSame, STATUSES, type Status, show } from "../../contract/animal.ts";
import { assert } from "../../contract/contract-violation.ts";
import { PETS } from "../../contract/lists.ts";
import type { Order } from "../../contract/order.ts";
import type { CreateSpan, ReadSpan } from "./linearize.ts";
import type { Sighting, Traded } from "./order-records.ts";
import { readSpanOf, type Span } from "./page-span.ts";
import { assertOneOrder, Reads } from "./reads.ts";
import { Trades } from "./trades.ts";

/** One create as a client meant it, however often the client sent it. */
export interface Intent {
  readonly content: Content;
  readonly request: string;
  /** When it was sent first. */
  readonly from: number;
  /** When it was first acknowledged; `Infinity` if it never was. */
  to: number;
  /** The id that every acknowledgement had. */
  id: number | undefined;
}

/** The query of a page: animals with this status, or all, after an id. */
export interface PageQuery {
  readonly status: Status | undefined;
  readonly after: number;
}

/** Everything that clients sent and saw of a store that was empty at first; it is judged at the end. */
export class History {
  readonly #began = performance.now();
  /** By name, which is unique to each create. */
  readonly #intents = new Map<string, Intent>();
  /** Each animal as it was first seen. */
  readonly #seen = new Map<number, Content>();
  readonly reads = new Reads<Animal, PageQuery>(PETS, (animal, request) => this.#see(animal, request));
  readonly trades = new Trades();
  #acknowledged = 0;

  /** The number of creates that were acknowledged. */
  get acknowledged(): number {
    return this.#acknowledged;
  }

  /** The number of writes and reads, orders included. */
  get operations(): number {
    return this.#intents.size + this.reads.count + this.trades.operations;
  }

  /** Records a create before it is first sent. */
  intend(content: Content, request: string): Intent {
    const intent = { content, request, from: performance.now(), to: Number.POSITIVE_INFINITY, id: undefined };
    this.#intents.set(content.name, intent);
    return intent;
  }

  /** Records an acknowledgement of a create, the first one or a repeated one. */
  acknowledge(intent: Intent, animal: Animal, at: number): void {
    const { content, request, id } = intent;
    assert(isSame(animal, content), show(content), show(animal), request);
    const isSameId = id === undefined || id === Number(animal.id);
    assert(isSameId, `the first response again, with the id ${id}`, `the id ${animal.id}`, request);
    if (id === undefined) this.#acknowledged++;
    intent.id = Number(animal.id);
    intent.to = Math.min(intent.to, at);
    this.#see(animal, request);
  }

  /** An animal is the same wherever it is seen, but for its status, which orders change. */
  #see(animal: Animal, request: string): void {
    const id = Number(animal.id);
    const first = this.#seen.get(id);
    if (!first) return void this.#seen.set(id, animal);
    const expected = `${show(first)}, as the animal ${id} was seen before`;
    assert(isSame({ ...first, status: animal.status }, animal), expected, show(animal), request);
  }

  /**
   * Judges everything; more may happen afterwards, and be judged with it.
   *
   * @param stock every stored animal, read after the last write
   * @param orders every stored order, read then too
   * @throws BrokenPromise
   */
  judge(stock: readonly Animal[], orders: readonly Order[] = []): void {
    const positions = new Map(stock.map(({ id }, index) => [Number(id), index + 1]));
    this.#judgeStock(stock, positions);
    this.#judgeStatuses();
    this.trades.judge(orders, this.#traded(stock), (id) => this.#sightingsOf(id));
    const creates = stock.map((animal): CreateSpan => {
      const intent = this.#intents.get(animal.name) as Intent;
      return { from: intent.from, to: intent.to, describe: () => this.#describeCreate(intent, animal) };
    });
    const describe = (span: Span, what: string) => this.#describeRead(span, what);
    const gets = this.reads.spansOfGets(positions, describe);
    assertOneOrder(creates, [...this.#spansOfPages(stock, positions), ...gets], "operations");
  }

  /** Every acknowledged animal is stored, every stored animal was sent, and none is stored twice. */
  #judgeStock(stock: readonly Animal[], positions: ReadonlyMap<number, number>): void {
    const found = new Set<string>();
    for (const animal of stock) {
      const intent = this.#intents.get(animal.name);
      assert(intent !== undefined, "only animals that a client sent", `${animal.id}: ${show(animal)}`);
      const { content, id, request } = intent;
      const expected = this.#isTraded(animal.id) ? { ...content, status: animal.status } : content;
      assert(isSame(expected, animal), show(expected), show(animal), request);
      const isOnce = !found.has(animal.name);
      assert(
        isOnce,
        "one animal of one create, however often it was sent",
        `a second one, ${animal.id}`,
        request,
      );
      const isAsAcknowledged = id === undefined || id === Number(animal.id);
      assert(isAsAcknowledged, `the id ${id}, as acknowledged`, `${animal.id}`, request);
      found.add(animal.name);
    }
    for (const { content, id, request } of this.#intents.values()) {
      const isLost = id !== undefined && !found.has(content.name);
      assert(!isLost, `the animal ${id}, which was acknowledged, in the list`, "a list without it", request);
    }
    for (const id of this.#seen.keys())
      assert(positions.has(id), `the animal ${id}, which was seen, in the list`, "a list without it");
  }

  #isTraded(id: number | bigint): boolean {
    return this.trades.animals.has(Number(id));
  }

  /** Animals that nobody ordered keep the status with which they were created. */
  #judgeStatuses(): void {
    const judge = (id: number, status: Status, request: string) => {
      const animal = this.#seen.get(id) as Content;
      const { content } = this.#intents.get(animal.name) ?? { content: animal };
      const holds = this.#isTraded(id) || status === content.status;
      assert(holds, `animal ${id} ${content.status}, which nobody ordered`, status, request);
    };
    for (const { ids, statuses, request } of this.reads.pages)
      for (const [at, id] of ids.entries()) judge(id, statuses[at] as Status, request);
    for (const { id, shown, request } of this.reads.gets) if (shown !== undefined) judge(id, shown, request);
  }

  #traded(stock: readonly Animal[]): Traded[] {
    return stock
      .filter(({ id }) => this.#isTraded(id))
      .map(({ id, name }) => {
        const { content, from, to } = this.#intents.get(name) as Intent;
        return { id: Number(id), status: content.status, from, to };
      });
  }

  #sightingsOf(animal: number): Sighting[] {
    const ofPages = this.reads.pages.flatMap((page): Sighting[] => {
      const { after, ids, statuses, status, more } = page;
      const at = ids.indexOf(animal);
      if (at >= 0) return [{ ...page, shown: statuses[at] }];
      const last = more ? (ids.at(-1) ?? after) : Number.POSITIVE_INFINITY;
      if (animal <= after || animal > last) return [];
      return [{ ...page, shown: undefined, ...(status !== undefined && { hiddenFrom: status }) }];
    });
    return [...ofPages, ...this.reads.gets.filter(({ id }) => id === animal)];
  }

  #spansOfPages(stock: readonly Animal[], positions: ReadonlyMap<number, number>): ReadSpan[] {
    const idsOf = (animals: readonly Animal[]) => animals.map(({ id }) => Number(id));
    const all = idsOf(stock);
    const steady = stock.filter(({ id }) => !this.#isTraded(id));
    const withStatus = new Map(
      STATUSES.map((status) => [status, idsOf(steady.filter((animal) => animal.status === status))]),
    );
    return this.reads.pages.map((page) => {
      const { status, ids, more, after } = page;
      const members = status === undefined ? all : (withStatus.get(status) ?? []);
      const isWhole = status === undefined || this.trades.animals.size === 0;
      const span = readSpanOf(page, { item: "animal", members, isWhole, positions });
      const last = ids.at(-1) ?? after;
      const shown = more
        ? `showed animals up to ${last} and said that more follow`
        : `showed none after ${last}`;
      return { ...span, describe: () => this.#describeRead(page, shown) };
    });
  }

  #describeCreate({ from, to, request }: Intent, { id }: Animal): string {
    const end = to === Number.POSITIVE_INFINITY ? "never acknowledged" : `acknowledged at ${this.#time(to)}`;
    return `animal ${id}, sent at ${this.#time(from)} and ${end} (${request})`;
  }

  #describeRead({ from, to, request }: Span, what: string): string {
    return `from ${this.#time(from)} to ${this.#time(to)} ${request} ${what}`;
  }

  /** Seconds since the beginning. */
  #time(at: number): string {
    return `${((at - this.#began) / 1000).toFixed(6)} s`;
  }
}
