import { assert, assertSame } from "../../contract/contract-violation.ts";
import { ORDERS } from "../../contract/lists.ts";
import { type Order, type OrderStatus, showOrder } from "../../contract/order.ts";
import { AnimalHistory } from "./animal-history.ts";
import type { OrderQuery, Placing, Refusal, Sighting, Traded, Updating } from "./order-records.ts";
import { readSpanOf, type Span } from "./page-span.ts";
import { assertOneOrder, Reads } from "./reads.ts";

/** Everything that clients asked and saw of orders in a store that was empty at first; it is judged at the end. */
export class Trades {
  readonly #placings: Placing[] = [];
  readonly #updatings: Updating[] = [];
  /** Orders that were refused since the animal was not available, by animal. */
  readonly #refusals = new Map<number, Refusal[]>();
  /** By order and status: the order as it was first seen with that status. */
  readonly #seen = new Map<string, Order>();
  readonly reads = new Reads<Order, OrderQuery>(ORDERS, (order, request) => this.#see(order, request));

  /** The animals that a client tried to order. */
  readonly animals = new Set<number>();

  /** The number of orders that were acknowledged. */
  get acknowledged(): number {
    return this.#placings.filter(({ order }) => order !== undefined).length;
  }

  get operations(): number {
    return this.#placings.length + this.#updatings.length + this.reads.count;
  }

  /** Records an order before it is first sent. */
  intend(petId: number, request: string): Placing {
    const from = performance.now();
    const to = Number.POSITIVE_INFINITY;
    const placing: Placing = { petId, request, from, to, order: undefined, isRefused: false };
    this.#placings.push(placing);
    this.animals.add(petId);
    return placing;
  }

  /** Records an acknowledgement, the first one or a repeated one. */
  acknowledge(placing: Placing, order: Order, at: number): void {
    const { request, petId, order: first = order } = placing;
    assert(Number(order.petId) === petId, `an order for animal ${petId}`, showOrder(order), request);
    assert(order.status === "placed", "an order as it was placed", showOrder(order), request);
    const isFirst = showOrder(first) === showOrder(order);
    assert(isFirst, `the first response again: ${showOrder(first)}`, showOrder(order), request);
    placing.order = order;
    placing.to = Math.min(placing.to, at);
    this.#see(order, request);
  }

  /** Records that an animal was not available. */
  refuse(placing: Placing, span: Span): void {
    const { petId } = placing;
    placing.isRefused = true;
    this.#refusals.set(petId, [...(this.#refusals.get(petId) ?? []), { ...span, placing }]);
  }

  /** Records a change of an order before it is sent. */
  intendUpdate(id: number, status: OrderStatus, request: string): Updating {
    const from = performance.now();
    const updating: Updating = { id, status, request, from, to: Number.POSITIVE_INFINITY, done: undefined };
    this.#updatings.push(updating);
    return updating;
  }

  /** Records the response to a change: the order as it is now, or `undefined` if it may not take that step. */
  settle(updating: Updating, order: Order | undefined, at: number): void {
    const { id, status, request } = updating;
    if (order) {
      const fits = Number(order.id) === id && order.status === status;
      assert(fits, `order ${id}, ${status}`, showOrder(order), request);
      this.#see(order, request);
    }
    updating.done = order !== undefined;
    updating.to = at;
  }

  /** Asserts that only the status of an order changes, and that each status comes once. */
  #see(order: Order, request: string): void {
    const key = `${order.id} ${order.status}`;
    const first = this.#seen.get(key) ?? order;
    this.#seen.set(key, first);
    assertSame(showOrder(order), showOrder(first), request);
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
      for (const page of this.reads.pages) history.seeOrders(page);
      for (const get of this.reads.gets) history.seeOrder(get.id, get.shown, get);
      history.judge();
    }
  }

  /** Every acknowledged order is stored, and every stored order was asked for. */
  #judgeStored(orders: readonly Order[]): void {
    const stored = new Map(orders.map((order) => [Number(order.id), order]));
    const assertStored = (order: Order, expected: string, request?: string) => {
      const found = stored.get(Number(order.id));
      const { status, updatedAt } = found ?? order;
      // Its status may have changed since.
      const isSame = found !== undefined && showOrder({ ...order, status, updatedAt }) === showOrder(found);
      assert(isSame, `${expected}, in the list`, found ? showOrder(found) : "a list without it", request);
    };
    const acknowledged = new Map<bigint, Placing>();
    for (const placing of this.#placings) {
      const { order, request } = placing;
      if (!order) continue;
      const other = acknowledged.get(order.id);
      const actual = `order ${order.id}, as for ${other?.request}`;
      assert(other === undefined, `an order of its own for ${request}`, actual);
      acknowledged.set(order.id, placing);
      assertStored(order, `${showOrder(order)}, which was acknowledged`, request);
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
    for (const order of this.#seen.values()) assertStored(order, `the order ${order.id}, which was seen`);
  }

  /** The list of orders only grows, and so does that of an animal: all reads and orders fit into one order. */
  #judgeLists(orders: readonly Order[]): void {
    const positions = new Map(orders.map(({ id }, index) => [Number(id), index + 1]));
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
    // A page with a status says nothing here: orders come to it and leave it.
    const pages = this.reads.pages.filter(({ status }) => status === undefined);
    const spans = pages.map((page) => {
      const listed = orders.filter(({ petId }) => (page.petId ?? Number(petId)) === Number(petId));
      const members = listed.map(({ id }) => Number(id));
      const span = readSpanOf(page, { item: "order", members, isWhole: true, positions });
      return { ...span, describe: () => `${page.request} showed the orders ${page.ids.join(", ")}` };
    });
    const gets = this.reads.spansOfGets(positions, ({ request }, what) => `${request} ${what}`);
    assertOneOrder(placed, [...spans, ...gets], "operations on orders");
  }
}
