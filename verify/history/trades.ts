import { assert } from "../contract-violation.ts";
import { type Order, type OrderStatus, showOrder } from "../order.ts";
import { assertPage } from "../page.ts";
import { AnimalHistory } from "./animal-history.ts";
import { contradictionIn, type ReadSpan } from "./linearize.ts";
import type {
  OrderPageSeen,
  OrderQuery,
  Placing,
  Refusal,
  Sighting,
  Span,
  Traded,
  Updating,
} from "./order-records.ts";
import { boundsOfGet, readSpanOf } from "./page-span.ts";

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

  /** The animals that a client tried to order. */
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
    assertPage(orders, { many: "orders", limit, after: query.after, more }, request);
    for (const order of orders) {
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

  /** Asserts that only the status of an order changes, and that each status comes once. */
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
        assert(isAsked, "only orders that a client placed", showOrder(order));
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
      const found = shown !== undefined;
      const describe = () => `${request} found order ${id}: ${found}`;
      reads.push({ from, to, ...boundsOfGet(found, positions.get(id)), describe });
    }
    const contradiction = contradictionIn(placed, reads);
    assert(
      contradiction === undefined,
      "an order of all operations on orders in which each happens between its request and its answer",
      `two for which there is none:\n${contradiction?.earlier}\n${contradiction?.later}`,
    );
  }
}
