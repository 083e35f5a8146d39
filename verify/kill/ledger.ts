import { type Animal, type Content, isSame, show } from "../animal.ts";
import type { Call } from "../client.ts";
import { assert } from "../contract-violation.ts";
import { animalStatusUnder, type Order, type OrderStatus, showOrder } from "../order.ts";

/** A create that was sent and not answered. */
interface CutOff {
  readonly content: Content;
  readonly call: Call;
  readonly isRetryable: boolean;
}

/** An order of one client, and how far it may have come. */
export interface OwnOrder {
  readonly petId: bigint;
  readonly call: Call;
  /** As it was acknowledged last; `undefined`: its placing was never acknowledged. */
  acknowledged: Order | undefined;
  /** The status that an unanswered request asked for. */
  doubtful: OrderStatus | undefined;
}

/** Acknowledged and doubtful requests, over all kills. */
export class Ledger {
  /** By id. */
  readonly acknowledged = new Map<bigint, Content>();
  /** Creates that may be there or not, by name. */
  readonly doubtful = new Map<string, Content>();
  /** By animal, each of which has one order at most. */
  readonly orders = new Map<bigint, OwnOrder>();
  /** Creates to send again. */
  pending: CutOff[] = [];
  cutOff = 0;
  retried = 0;
  /** The highest ids of animals and of orders. */
  highest = 0n;
  highestOrder = 0n;

  acknowledge(animal: Animal, content: Content, request: string): void {
    assert(isSame(animal, content), show(content), show(animal), request);
    const before = this.acknowledged.get(animal.id);
    assert(
      before === undefined,
      "an id that was never given",
      `${animal.id}, which is ${before && show(before)}`,
      request,
    );
    this.acknowledged.set(animal.id, content);
    if (animal.id > this.highest) this.highest = animal.id;
  }

  /** Records the answer to a request that places or changes an order. */
  acknowledgeOrder(own: OwnOrder, order: Order, status: OrderStatus, request: string): void {
    const { petId, acknowledged: before } = own;
    const fits =
      order.petId === petId &&
      order.status === status &&
      (before === undefined || (order.id === before.id && order.placedAt === before.placedAt));
    assert(
      fits,
      `${before ? `order ${before.id}` : "an order"} for animal ${petId}, ${status}`,
      showOrder(order),
      request,
    );
    own.acknowledged = order;
    own.doubtful = undefined;
    if (order.id > this.highestOrder) this.highestOrder = order.id;
  }

  get acknowledgedOrders(): number {
    return [...this.orders.values()].filter(({ acknowledged }) => acknowledged !== undefined).length;
  }

  /**
   * Compares the whole store with everything that was answered.
   *
   * @throws BrokenPromise
   */
  judge(stock: readonly Animal[], orders: readonly Order[], request: string): void {
    this.#judgeOrders(orders);
    const ordered = new Map(orders.map((order) => [order.petId, order]));
    const seen = new Set<string>();
    const ids = new Set<bigint>();
    let last = 0n;
    for (const animal of stock) {
      assert(animal.id > last, `ids that ascend, after ${last}`, `${animal.id}`, request);
      last = animal.id;
      ids.add(animal.id);
      const sent = this.acknowledged.get(animal.id) ?? this.doubtful.get(animal.name);
      assert(sent !== undefined, "only animals that a client sent", `${animal.id}: ${show(animal)}`, request);
      const order = ordered.get(animal.id);
      const content = order ? { ...sent, status: animalStatusUnder(order.status) } : sent;
      assert(isSame(animal, content), `${show(content)} as animal ${animal.id}`, show(animal), request);
      assert(
        !seen.has(animal.name),
        "every animal once",
        `${show(animal)} a second time, as ${animal.id}`,
        request,
      );
      seen.add(animal.name);
    }
    for (const [id, content] of this.acknowledged)
      assert(
        ids.has(id),
        `animal ${id}, ${show(content)}, which was acknowledged`,
        "a list without it",
        request,
      );
    // Ids that were seen must not be reused, whether they were acknowledged or not.
    if (last > this.highest) this.highest = last;
  }

  #judgeOrders(orders: readonly Order[]): void {
    const found = new Set<bigint>();
    let last = 0n;
    for (const order of orders) {
      assert(order.id > last, `ids of orders that ascend, after ${last}`, `${order.id}`);
      last = order.id;
      const own = this.orders.get(order.petId);
      assert(own !== undefined, "only orders that a client sent", showOrder(order));
      assert(!found.has(order.petId), `one order for animal ${order.petId}`, `another: ${showOrder(order)}`);
      found.add(order.petId);
      const { acknowledged, doubtful } = own;
      const isAsKnown =
        order.status === doubtful ||
        (acknowledged !== undefined && showOrder(order) === showOrder(acknowledged));
      assert(isAsKnown, acknowledged ? showOrder(acknowledged) : `an order ${doubtful}`, showOrder(order));
    }
    for (const { petId, acknowledged } of this.orders.values())
      assert(
        acknowledged === undefined || found.has(petId),
        `${acknowledged && showOrder(acknowledged)}, which was acknowledged`,
        "a list without it",
      );
    if (last > this.highestOrder) this.highestOrder = last;
  }
}
