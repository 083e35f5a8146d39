import { type Animal, type Content, isSame, STATUSES, type Status, show } from "../animal.ts";
import { assert } from "../contract-violation.ts";
import type { Order } from "../order.ts";
import { assertPage } from "../page.ts";
import { type CreateSpan, contradictionIn, type ReadSpan } from "./linearize.ts";
import type { Sighting, Span } from "./order-records.ts";
import { boundsOfGet, type PageSeen, readSpanOf } from "./page-span.ts";
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
  readonly filter: Status | undefined;
  readonly after: number;
}

/** The animals that a page showed, with the status of each. */
export interface Shown {
  readonly ids: readonly number[];
  readonly statuses: readonly Status[];
}

type AnimalPageSeen = PageSeen & PageQuery & Shown;

interface GetSeen extends Span {
  readonly id: number;
  readonly shown: Status | undefined;
}

/** Everything that clients sent and saw of a store that was empty at first; it is judged at the end. */
export class History {
  readonly #began = performance.now();
  /** By name, which is unique to each create. */
  readonly #intents = new Map<string, Intent>();
  /** Each animal as it was first seen. */
  readonly #seen = new Map<number, Content>();
  readonly #pages: AnimalPageSeen[] = [];
  readonly #gets: GetSeen[] = [];
  readonly trades = new Trades();

  get writes(): number {
    return this.#intents.size + this.trades.writes;
  }

  get reads(): number {
    return this.#pages.length + this.#gets.length + this.trades.reads;
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
    assert(
      id === undefined || id === Number(animal.id),
      `the first answer again, with the id ${id}`,
      `the id ${animal.id}`,
      request,
    );
    intent.id = Number(animal.id);
    intent.to = Math.min(intent.to, at);
    this.#see(animal, request);
  }

  /** Records a page. */
  page(query: PageQuery, limit: number, animals: readonly Animal[], more: boolean, span: Span): void {
    const { request } = span;
    assertPage(animals, { many: "animals", limit, after: query.after, more }, request);
    for (const animal of animals) {
      const fits = query.filter === undefined || animal.status === query.filter;
      assert(fits, `animals that are ${query.filter}`, `${animal.id}, which is ${animal.status}`, request);
      this.#see(animal, request);
    }
    this.#pages.push({ ...query, ...span, more, ...shownBy(animals) });
  }

  /** Records a 304: the page was unchanged. */
  pageAgain(query: PageQuery, { ids, statuses }: Shown, more: boolean, span: Span): void {
    this.#pages.push({ ...query, ...span, more, ids, statuses });
  }

  /** Records a request for an animal by its id. */
  get(id: number, animal: Animal | undefined, span: Span): void {
    if (animal) {
      assert(Number(animal.id) === id, `the animal ${id}`, `the animal ${animal.id}`, span.request);
      this.#see(animal, span.request);
    }
    this.#gets.push({ ...span, id, shown: animal?.status });
  }

  /** An animal is the same wherever it is seen, but for its status, which orders change. */
  #see(animal: Animal, request: string): void {
    const id = Number(animal.id);
    const first = this.#seen.get(id);
    if (!first) this.#seen.set(id, animal);
    else
      assert(
        isSame({ ...first, status: animal.status }, animal),
        `${show(first)}, as the animal ${id} was seen before`,
        show(animal),
        request,
      );
  }

  /**
   * Judges everything.
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
    const reads = [...this.#judgePages(stock, positions), ...this.#judgeGets(positions)];
    const contradiction = contradictionIn(creates, reads);
    assert(
      contradiction === undefined,
      "an order of all operations in which each happens between its request and its answer",
      `two for which there is none:\n${contradiction?.earlier}\n${contradiction?.later}`,
    );
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
      assert(
        !found.has(animal.name),
        "one animal of one create, however often it was sent",
        `a second one, ${animal.id}`,
        request,
      );
      assert(
        id === undefined || id === Number(animal.id),
        `the id ${id}, as acknowledged`,
        `${animal.id}`,
        request,
      );
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
    for (const { ids, statuses, request } of this.#pages)
      for (const [at, id] of ids.entries()) judge(id, statuses[at] as Status, request);
    for (const { id, shown, request } of this.#gets) if (shown !== undefined) judge(id, shown, request);
  }

  #traded(stock: readonly Animal[]) {
    return stock
      .filter(({ id }) => this.#isTraded(id))
      .map(({ id, name }) => {
        const { content, from, to } = this.#intents.get(name) as Intent;
        return { id: Number(id), status: content.status, from, to };
      });
  }

  #sightingsOf(animal: number): Sighting[] {
    const ofPages = this.#pages.flatMap((page): Sighting[] => {
      const { after, ids, statuses, filter, more } = page;
      const at = ids.indexOf(animal);
      if (at >= 0) return [{ ...page, shown: statuses[at] }];
      const last = more ? (ids.at(-1) ?? after) : Number.POSITIVE_INFINITY;
      if (animal <= after || animal > last) return [];
      return [{ ...page, shown: undefined, ...(filter !== undefined && { hiddenFrom: filter }) }];
    });
    return [...ofPages, ...this.#gets.filter(({ id }) => id === animal)];
  }

  #judgePages(stock: readonly Animal[], positions: ReadonlyMap<number, number>): ReadSpan[] {
    const idsOf = (animals: readonly Animal[]) => animals.map(({ id }) => Number(id));
    const all = idsOf(stock);
    const steady = stock.filter(({ id }) => !this.#isTraded(id));
    const withStatus = new Map(
      STATUSES.map((status) => [status, idsOf(steady.filter((animal) => animal.status === status))]),
    );
    return this.#pages.map((page) => {
      const { filter, ids, more, after, request } = page;
      const members = filter === undefined ? all : (withStatus.get(filter) ?? []);
      const isWhole = filter === undefined || this.trades.animals.size === 0;
      const span = readSpanOf(page, { item: "animal", members, isWhole, positions });
      const last = ids.at(-1) ?? after;
      const shown = more
        ? `showed animals up to ${last} and said that more follow`
        : `showed none after ${last}`;
      return { ...span, describe: () => `${this.#describeSpan(page)} ${request} ${shown}` };
    });
  }

  #judgeGets(positions: ReadonlyMap<number, number>): ReadSpan[] {
    return this.#gets.map((get) => {
      const { id, shown: status, from, to, request } = get;
      const found = status !== undefined;
      const bounds = boundsOfGet(found, positions.get(id));
      const shown = found ? `found animal ${id}` : `did not find animal ${id}`;
      return { from, to, ...bounds, describe: () => `${this.#describeSpan(get)} ${request} ${shown}` };
    });
  }

  #describeCreate({ from, to, request }: Intent, { id }: Animal): string {
    const end = to === Number.POSITIVE_INFINITY ? "never acknowledged" : `acknowledged at ${this.#time(to)}`;
    return `animal ${id}, sent at ${this.#time(from)} and ${end} (${request})`;
  }

  #describeSpan({ from, to }: Span): string {
    return `from ${this.#time(from)} to ${this.#time(to)}`;
  }

  /** Seconds since the beginning. */
  #time(at: number): string {
    return `${((at - this.#began) / 1000).toFixed(6)} s`;
  }
}

function shownBy(animals: readonly Animal[]): Shown {
  return { ids: animals.map(({ id }) => Number(id)), statuses: animals.map(({ status }) => status) };
}
