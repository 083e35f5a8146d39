import type { Status } from "../animal.ts";
import { assert } from "../contract-violation.ts";
import {
  animalStatusUnder,
  mayBecome,
  ORDER_STATUSES,
  type Order,
  type OrderStatus,
  showOrder,
} from "../order.ts";
import { contradictionIn, type ReadSpan } from "./linearize.ts";
import { misfitAmong, type Operation } from "./linearize-object.ts";
import { type PageSeen, readSpanOf } from "./page-span.ts";

/** When something was sent and answered, in milliseconds of the monotonic clock. */
export interface Span {
  readonly from: number;
  readonly to: number;
  readonly request: string;
}

/** One order as a client meant it, however often the client asked for it. */
export interface Placing {
  readonly petId: number;
  readonly request: string;
  readonly from: number;
  /** When it was first acknowledged; `Infinity` if it never was. */
  to: number;
  /** The order as every acknowledgement had it. */
  order: Order | undefined;
}

/** An order that was refused since the animal was not available. */
interface Refusal extends Span {
  readonly placing: Placing;
}

/** One change of an order as a client meant it. */
export interface Updating {
  readonly id: number;
  readonly status: OrderStatus;
  readonly request: string;
  readonly from: number;
  to: number;
  /** Whether it was done; `undefined`: no answer said so. */
  done: boolean | undefined;
}

/** The query of a page of orders. */
export interface OrderQuery {
  readonly status: OrderStatus | undefined;
  readonly petId: number | undefined;
  readonly after: number;
}

type OrderPageSeen = PageSeen & OrderQuery & { readonly statuses: readonly OrderStatus[] };

/** What was seen of an animal: its status, or that it was not among the animals with a status. */
export interface Sighting extends Span {
  readonly shown: Status | undefined;
  readonly hiddenFrom?: Status;
}

/** An animal that was ordered, as it was created. */
interface Traded {
  readonly id: number;
  readonly status: Status;
  /** Its create. */
  readonly from: number;
  readonly to: number;
}

/** The state of an animal before it is created. The state of one without orders is 0. */
const ABSENT = -1;

/** Everything that clients asked and saw of orders in a store that was empty at first; it is judged at the end. */
export class Trades {
  readonly #placings: Placing[] = [];
  readonly #updatings: Updating[] = [];
  /** Orders that were refused since the animal was not available, by animal. */
  readonly #refusals = new Map<number, Refusal[]>();
  readonly #pages: OrderPageSeen[] = [];
  readonly #gets: (Span & { readonly id: number; readonly shown: OrderStatus | undefined })[] = [];
  /** By order and status: the order as it was first seen with that status. */
  readonly #seen = new Map<string, Order>();

  /** The animals that somebody tried to order. */
  readonly animals = new Set<number>();

  get writes(): number {
    return this.#placings.length + this.#updatings.length;
  }

  get reads(): number {
    return this.#pages.length + this.#gets.length;
  }

  /** Records an order before it is first sent. */
  intend(petId: number, request: string): Placing {
    const from = performance.now();
    const placing: Placing = { petId, request, from, to: Number.POSITIVE_INFINITY, order: undefined };
    this.#placings.push(placing);
    this.animals.add(petId);
    return placing;
  }

  /** Records an acknowledgement, the first one or a repeated one. */
  acknowledge(placing: Placing, order: Order, at: number): void {
    const { request, petId } = placing;
    assert(Number(order.petId) === petId, `an order for animal ${petId}`, showOrder(order), request);
    assert(order.status === "placed", "an order as it was placed", showOrder(order), request);
    const first = placing.order;
    assert(
      first === undefined || showOrder(first) === showOrder(order),
      `the first answer again: ${first && showOrder(first)}`,
      showOrder(order),
      request,
    );
    placing.order = order;
    placing.to = Math.min(placing.to, at);
    this.#see(order, request);
  }

  /** Records that an animal was not available. */
  refuse(placing: Placing, span: Span): void {
    const { petId } = placing;
    this.#refusals.set(petId, [...(this.#refusals.get(petId) ?? []), { ...span, placing }]);
  }

  /** Records a change of an order before it is sent. */
  intendUpdate(id: number, status: OrderStatus, request: string): Updating {
    const from = performance.now();
    const updating: Updating = {
      id,
      status,
      request,
      from,
      to: Number.POSITIVE_INFINITY,
      done: undefined,
    };
    this.#updatings.push(updating);
    return updating;
  }

  /** Records the answer to a change: the order as it is now, or `undefined` if it may not take that step. */
  answer(updating: Updating, order: Order | undefined, at: number): void {
    const { id, status, request } = updating;
    if (order) {
      const fits = Number(order.id) === id && order.status === status;
      assert(fits, `order ${id}, ${status}`, showOrder(order), request);
      this.#see(order, request);
    }
    updating.done = order !== undefined;
    updating.to = at;
  }

  /** Records a page of orders. */
  page(query: OrderQuery, limit: number, orders: readonly Order[], more: boolean, span: Span): void {
    const { request } = span;
    assert(orders.length <= limit, `at most ${limit} orders`, `${orders.length}`, request);
    assert(!more || orders.length === limit, "a link on full pages only", "one on another", request);
    let last = query.after;
    for (const order of orders) {
      assert(Number(order.id) > last, `ids that ascend, after ${last}`, `${order.id}`, request);
      last = Number(order.id);
      const fits =
        (query.status ?? order.status) === order.status &&
        (query.petId ?? Number(order.petId)) === Number(order.petId);
      assert(fits, "orders that fit the filters", showOrder(order), request);
      this.#see(order, request);
    }
    const statuses = orders.map(({ status }) => status);
    this.#pages.push({ ...query, ...span, more, ids: orders.map(({ id }) => Number(id)), statuses });
  }

  /** Records a request for an order by its id. */
  get(id: number, order: Order | undefined, span: Span): void {
    if (order) {
      assert(Number(order.id) === id, `the order ${id}`, showOrder(order), span.request);
      this.#see(order, span.request);
    }
    this.#gets.push({ ...span, id, shown: order?.status });
  }

  /** Nothing of an order changes but its status, and each status comes once. */
  #see(order: Order, request: string): void {
    const key = `${order.id} ${order.status}`;
    const first = this.#seen.get(key);
    if (!first) this.#seen.set(key, order);
    else assert(showOrder(first) === showOrder(order), showOrder(first), showOrder(order), request);
  }

  /**
   * Judges everything.
   *
   * @param orders every stored order, read after the last write
   * @param animals all of `this.animals`
   * @param sightingsOf what was seen of an animal
   * @throws BrokenPromise
   */
  judge(
    orders: readonly Order[],
    animals: readonly Traded[],
    sightingsOf: (id: number) => readonly Sighting[],
  ): void {
    this.#judgeStored(orders);
    this.#judgeLists(orders);
    const byAnimal = Map.groupBy(orders, ({ petId }) => Number(petId));
    const updatings = Map.groupBy(this.#updatings, ({ id }) => id);
    const placings = Map.groupBy(this.#placings, ({ petId }) => petId);
    for (const animal of animals) {
      const own = byAnimal.get(animal.id) ?? [];
      const history = new AnimalHistory(animal, own);
      for (const placing of placings.get(animal.id) ?? []) history.place(placing);
      for (const refusal of this.#refusals.get(animal.id) ?? []) history.refuse(refusal);
      for (const { id } of own)
        for (const updating of updatings.get(Number(id)) ?? []) history.update(updating);
      for (const sighting of sightingsOf(animal.id)) history.see(sighting);
      for (const page of this.#pages) history.seeOrders(page);
      for (const get of this.#gets) history.seeOrder(get.id, get.shown, get);
      history.judge();
    }
  }

  /** Every acknowledged order is stored, and every stored order was asked for. */
  #judgeStored(orders: readonly Order[]): void {
    const stored = new Map(orders.map((order) => [Number(order.id), order]));
    const acknowledged = new Map<bigint, Placing>();
    for (const placing of this.#placings) {
      const { order, request } = placing;
      if (!order) continue;
      const other = acknowledged.get(order.id);
      assert(
        other === undefined,
        `an order of its own for ${request}`,
        `order ${order.id}, as for ${other?.request}`,
      );
      acknowledged.set(order.id, placing);
      const found = stored.get(Number(order.id));
      assert(
        found?.petId === order.petId && found.placedAt === order.placedAt,
        `${showOrder(order)}, which was acknowledged, in the list`,
        found ? showOrder(found) : "a list without it",
        request,
      );
    }
    for (const [petId, own] of Map.groupBy(orders, (order) => Number(order.petId))) {
      const asked = this.#placings.filter((placing) => placing.petId === petId);
      assert(
        own.length <= asked.length,
        `at most ${asked.length} orders for animal ${petId}, as were asked for`,
        own.map(showOrder).join("; "),
        asked[0]?.request,
      );
      for (const order of own) {
        const isAsked = acknowledged.has(order.id) || asked.some((placing) => placing.order === undefined);
        assert(isAsked, "only orders that somebody placed", showOrder(order));
      }
    }
    for (const { id, petId, placedAt } of this.#seen.values()) {
      const found = stored.get(Number(id));
      const isSame = found?.petId === petId && found.placedAt === placedAt;
      assert(
        isSame,
        `the order ${id}, which was seen, in the list`,
        found ? showOrder(found) : "a list without it",
      );
    }
  }

  /** The list of orders only grows, and so does that of an animal: all reads and orders fit into one order. */
  #judgeLists(orders: readonly Order[]): void {
    const ids = orders.map(({ id }) => Number(id));
    const positions = new Map(ids.map((id, index) => [id, index + 1]));
    const byId = new Map(this.#placings.map((placing) => [placing.order?.id, placing]));
    const placed = orders.map((order) => {
      const placing = byId.get(order.id);
      const lost = this.#placings.filter(
        (each) => each.order === undefined && each.petId === Number(order.petId),
      );
      const from = placing?.from ?? Math.min(...lost.map((each) => each.from));
      const to = placing?.to ?? Number.POSITIVE_INFINITY;
      return { from, to, describe: () => `order ${order.id} (${placing?.request ?? "never acknowledged"})` };
    });
    const reads: ReadSpan[] = [];
    for (const page of this.#pages) {
      if (page.status !== undefined) continue;
      const members =
        page.petId === undefined
          ? ids
          : orders.filter(({ petId }) => Number(petId) === page.petId).map(({ id }) => Number(id));
      const span = readSpanOf(page, { item: "order", members, isWhole: true, positions });
      reads.push({ ...span, describe: () => `${page.request} showed the orders ${page.ids.join(", ")}` });
    }
    for (const { id, shown, from, to, request } of this.#gets) {
      const position = positions.get(id);
      const [least, most] =
        shown !== undefined
          ? [position ?? 0, Number.POSITIVE_INFINITY]
          : [0, position === undefined ? Number.POSITIVE_INFINITY : position - 1];
      reads.push({
        from,
        to,
        least,
        most,
        describe: () => `${request} found order ${id}: ${shown !== undefined}`,
      });
    }
    const contradiction = contradictionIn(placed, reads);
    assert(
      contradiction === undefined,
      "an order of all operations on orders in which each happens between its request and its answer",
      `two for which there is none:\n${contradiction?.earlier}\n${contradiction?.later}`,
    );
  }
}

/** What clients asked and saw of one animal and its orders, which follow each other. */
class AnimalHistory {
  readonly #animal: Traded;
  readonly #orders: readonly Order[];
  readonly #operations: Operation[] = [];

  /** @param orders of the animal, all of them, as they are in the end */
  constructor(animal: Traded, orders: readonly Order[]) {
    this.#animal = animal;
    this.#orders = orders;
    const { id, from, to } = animal;
    this.#add({ from, to, request: `the create of animal ${id}` }, "created", false, (state) =>
      state === ABSENT ? 0 : undefined,
    );
  }

  place({ from, to, order, request }: Placing): void {
    const number = order && this.#numberOf(Number(order.id));
    this.#add({ from, to, request }, "placed", false, (state) => {
      const next = this.#ordersIn(state) + 1;
      const isNext = number === undefined ? next <= this.#orders.length : next === number;
      return isNext && this.#statusIn(state) === "available" ? stateOf(next, "placed") : undefined;
    });
  }

  refuse(refusal: Refusal): void {
    const { order } = refusal.placing;
    // Once the order is placed under its key, every repetition has that answer.
    const ordersMax = order ? this.#numberOf(Number(order.id)) - 1 : this.#orders.length;
    this.#look(refusal, "not available", (state) => {
      const status = this.#statusIn(state);
      return (status === "pending" || status === "sold") && this.#ordersIn(state) <= ordersMax;
    });
  }

  update({ id, status, done, from, to, request }: Updating): void {
    const span = { from, to, request };
    const isDone = done === undefined ? "unknown" : done ? "done" : "refused";
    if (done === false) {
      this.#look(span, isDone, (state) => {
        const now = this.#orderIn(id, state);
        return now !== undefined && now !== status && !mayBecome(now, status);
      });
      return;
    }
    this.#add(span, isDone, false, (state) => {
      const now = this.#orderIn(id, state);
      if (now === undefined) return undefined;
      if (now === status) return state;
      return mayBecome(now, status) ? stateOf(this.#numberOf(id), status) : undefined;
    });
  }

  see(sighting: Sighting): void {
    const { shown, hiddenFrom } = sighting;
    if (shown !== undefined) this.#look(sighting, shown, (state) => this.#statusIn(state) === shown);
    else
      this.#look(sighting, hiddenFrom ? `not among those ${hiddenFrom}` : "not found", (state) =>
        hiddenFrom === undefined ? state === ABSENT : this.#statusIn(state) !== hiddenFrom,
      );
  }

  seeOrder(id: number, shown: OrderStatus | undefined, span: Span): void {
    if (this.#numberOf(id) > 0)
      this.#look(span, `order ${id} ${shown ?? "not found"}`, (state) => this.#orderIn(id, state) === shown);
  }

  /** Each order of the animal that the page shows, and each that it leaves out for its status. */
  seeOrders(page: OrderPageSeen): void {
    const last = page.more ? (page.ids.at(-1) ?? page.after) : Number.POSITIVE_INFINITY;
    for (const { id, petId } of this.#orders) {
      const number = Number(id);
      const at = page.ids.indexOf(number);
      const isCovered =
        number > page.after && number <= last && (page.petId === undefined || page.petId === Number(petId));
      if (at >= 0) this.seeOrder(number, page.statuses[at], page);
      else if (isCovered)
        this.#look(page, `order ${id} not among those ${page.status ?? "listed"}`, (state) => {
          const now = this.#orderIn(number, state);
          return now === undefined || (page.status !== undefined && now !== page.status);
        });
    }
  }

  /** @throws BrokenPromise */
  judge(): void {
    const misfit = misfitAmong(this.#operations, ABSENT);
    if (!misfit) return;
    const { id, status } = this.#animal;
    const changes = this.#operations.filter(({ isRead }) => !isRead).map(({ describe }) => describe());
    assert(
      false,
      `an order of all that happened to animal ${id}, ${status} at first, in which each answer is right`,
      `none for ${misfit.describe()}; its changes:\n${changes.join("\n")}\n${this.#orders.map(showOrder).join("\n")}`,
    );
  }

  #look(span: Span, saw: string, holds: (state: number) => boolean): void {
    this.#add(span, saw, true, (state) => (holds(state) ? state : undefined));
  }

  #add({ from, to, request }: Span, outcome: string, isRead: boolean, apply: Operation["apply"]): void {
    const describe = () => `${request} from ${from.toFixed(3)} to ${to.toFixed(3)} ms: ${outcome}`;
    this.#operations.push({ from, to, isRead, apply, describe });
  }

  /** Which of the animal's orders this is, from 1; 0 for another animal's. */
  #numberOf(id: number): number {
    return this.#orders.findIndex((order) => Number(order.id) === id) + 1;
  }

  #ordersIn(state: number): number {
    return state <= 0 ? 0 : Math.ceil(state / ORDER_STATUSES.length);
  }

  #statusIn(state: number): Status | undefined {
    if (state === ABSENT) return undefined;
    return state === 0 ? this.#animal.status : animalStatusUnder(lastStatusIn(state));
  }

  /** The status of an order; `undefined` while it is not placed. */
  #orderIn(id: number, state: number): OrderStatus | undefined {
    const number = this.#numberOf(id);
    const count = this.#ordersIn(state);
    if (number === count) return lastStatusIn(state);
    // An order that another follows has come to its end.
    return number < count ? this.#orders[number - 1]?.status : undefined;
  }
}

/** The state in which an animal has so many orders, of which the last has a status. */
function stateOf(orders: number, last: OrderStatus): number {
  return (orders - 1) * ORDER_STATUSES.length + ORDER_STATUSES.indexOf(last) + 1;
}

function lastStatusIn(state: number): OrderStatus {
  return ORDER_STATUSES[(state - 1) % ORDER_STATUSES.length] as OrderStatus;
}
