import { type Animal, type Content, isSame, STATUSES, type Status, show } from "../animal.ts";
import { assert } from "../contract-violation.ts";
import { type CreateSpan, contradictionIn, type ReadSpan } from "./linearize.ts";

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

interface Span {
  readonly from: number;
  readonly to: number;
  readonly request: string;
}

interface PageSeen extends PageQuery, Span {
  readonly ids: readonly number[];
  /** Whether it said that more follow. */
  readonly more: boolean;
}

interface GetSeen extends Span {
  readonly id: number;
  readonly found: boolean;
}

/** Everything that clients sent and saw of a store that was empty at first; it is judged at the end. */
export class History {
  readonly #began = performance.now();
  /** By name, which is unique to each create. */
  readonly #intents = new Map<string, Intent>();
  /** Each animal as it was first seen. */
  readonly #seen = new Map<number, Content>();
  readonly #pages: PageSeen[] = [];
  readonly #gets: GetSeen[] = [];

  get creates(): number {
    return this.#intents.size;
  }

  get reads(): number {
    return this.#pages.length + this.#gets.length;
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
    assert(animals.length <= limit, `at most ${limit} animals`, `${animals.length}`, request);
    assert(
      !more || animals.length === limit,
      "a link to the next page on full pages only",
      "one on another",
      request,
    );
    let last = query.after;
    for (const animal of animals) {
      assert(Number(animal.id) > last, `ids that ascend, after ${last}`, `${animal.id}`, request);
      last = Number(animal.id);
      const fits = query.filter === undefined || animal.status === query.filter;
      assert(fits, `animals that are ${query.filter}`, `${animal.id}, which is ${animal.status}`, request);
      this.#see(animal, request);
    }
    this.#pages.push({ ...query, ...span, more, ids: animals.map(({ id }) => Number(id)) });
  }

  /** Records a 304: the page was unchanged. */
  pageAgain(query: PageQuery, ids: readonly number[], more: boolean, span: Span): void {
    this.#pages.push({ ...query, ...span, more, ids });
  }

  /** Records a request for an animal by its id. */
  get(id: number, animal: Animal | undefined, span: Span): void {
    if (animal) {
      assert(Number(animal.id) === id, `the animal ${id}`, `the animal ${animal.id}`, span.request);
      this.#see(animal, span.request);
    }
    this.#gets.push({ ...span, id, found: animal !== undefined });
  }

  /** An animal is the same wherever it is seen. */
  #see(animal: Animal, request: string): void {
    const id = Number(animal.id);
    const first = this.#seen.get(id);
    if (!first) this.#seen.set(id, animal);
    else
      assert(
        isSame(first, animal),
        `${show(first)}, as the animal ${id} was seen before`,
        show(animal),
        request,
      );
  }

  /**
   * Judges everything.
   *
   * @param stock every stored animal, read after the last write
   * @throws BrokenPromise
   */
  judge(stock: readonly Animal[]): void {
    const positions = new Map(stock.map(({ id }, index) => [Number(id), index + 1]));
    this.#judgeStock(stock, positions);
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
      assert(intent !== undefined, "only animals that somebody sent", `${animal.id}: ${show(animal)}`);
      const { content, id, request } = intent;
      assert(isSame(content, animal), show(content), show(animal), request);
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

  #judgePages(stock: readonly Animal[], positions: ReadonlyMap<number, number>): ReadSpan[] {
    const idsOf = new Map<Status | undefined, number[]>([[undefined, stock.map(({ id }) => Number(id))]]);
    for (const status of STATUSES)
      idsOf.set(
        status,
        stock.filter((animal) => animal.status === status).map(({ id }) => Number(id)),
      );
    return this.#pages.map((page) => {
      const { filter, after, ids, more, from, to, request } = page;
      const matching = idsOf.get(filter) ?? [];
      const start = firstAbove(matching, after);
      const end = start + ids.length;
      const missed = ids.findIndex((id, index) => matching[start + index] !== id);
      assert(
        missed < 0,
        `the animal ${matching[start + missed]}, which was added before ${ids[missed]}`,
        `a page without it: ${ids.join(", ")}`,
        request,
      );
      const next = matching[end];
      assert(
        !more || next !== undefined,
        "a link exactly when more follow",
        "one, and nothing follows",
        request,
      );
      const positionOf = (id: number | undefined) => (id === undefined ? 0 : (positions.get(id) ?? 0));
      const least = Math.max(positionOf(after), positionOf(more ? next : ids.at(-1)));
      const most = more || next === undefined ? Number.POSITIVE_INFINITY : positionOf(next) - 1;
      const last = ids.at(-1) ?? after;
      const shown = more
        ? `showed animals up to ${last} and said that more follow`
        : `showed none after ${last}`;
      return { from, to, least, most, describe: () => `${this.#describeSpan(page)} ${request} ${shown}` };
    });
  }

  #judgeGets(positions: ReadonlyMap<number, number>): ReadSpan[] {
    return this.#gets.map((get) => {
      const { id, found, from, to, request } = get;
      const position = positions.get(id);
      const least = found ? (position ?? 0) : 0;
      const most = found || position === undefined ? Number.POSITIVE_INFINITY : position - 1;
      const shown = found ? `found animal ${id}` : `did not find animal ${id}`;
      return { from, to, least, most, describe: () => `${this.#describeSpan(get)} ${request} ${shown}` };
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

/** Where the first number above another stands in an ascending list. */
function firstAbove(ascending: readonly number[], limit: number): number {
  let [low, high] = [0, ascending.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((ascending[middle] as number) > limit) high = middle;
    else low = middle + 1;
  }
  return low;
}
