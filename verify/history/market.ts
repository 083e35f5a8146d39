import { ORDER_STATUSES, type Order, type OrderStatus } from "../../contract/order.ts";
import type { Random } from "../random.ts";
import { remember } from "./knowledge.ts";
import type { OrderQuery, Placing } from "./order-records.ts";

/** Animals that may be bought at one time: few, so that the clients race for each of them. */
const FOR_SALE_MAX = 10;
const POSITIONS_MAX = 200;

/** Steps that an order may take, each as often as it is to be tried. */
const STEPS: Readonly<Record<OrderStatus, readonly OrderStatus[]>> = {
  placed: ["approved", "approved", "cancelled"],
  approved: ["cancelled", "cancelled", "delivered"],
  delivered: ["delivered"],
  cancelled: ["cancelled"],
};

/** The position at which a list of orders continues. */
type OrderPosition = OrderQuery & { readonly cursor: string };

/** What the buyers of a run know, shared between them. */
export class Market {
  /** Animals that are not sold, as far as is known. */
  readonly #forSale: number[] = [];
  /** Every order that was seen, with its last known status. */
  readonly orders = new Map<number, OrderStatus>();
  /** Orders with an `Idempotency-Key`. */
  readonly keyed: { readonly key: string; readonly placing: Placing }[] = [];
  readonly positions: OrderPosition[] = [];

  /** An animal for sale; new ones, taken from `unordered`, replace sold ones. */
  anAnimal(random: Random, unordered: number[]): number | undefined {
    const missing = Math.max(0, FOR_SALE_MAX - this.#forSale.length);
    this.#forSale.push(...unordered.splice(0, missing));
    return random.pick(this.#forSale);
  }

  /** Mostly one of the open orders: the others have come to their ends. */
  anOrder(random: Random): number | undefined {
    const ids = [...this.orders.keys()];
    const open = ids.filter((id) => /placed|approved/.test(this.orders.get(id) ?? ""));
    return random.pick(open.length > 0 && random.chance(0.8) ? open : ids);
  }

  /** Mostly a step that the order may take, as far as is known. */
  aStep(id: number, random: Random): OrderStatus {
    return random.pick(random.chance(0.8) ? STEPS[this.orders.get(id) ?? "placed"] : ORDER_STATUSES);
  }

  /** Records an order as it was seen last. */
  learn(order: Order): Order {
    this.orders.set(Number(order.id), order.status);
    const at = this.#forSale.indexOf(Number(order.petId));
    if (order.status === "delivered" && at >= 0) this.#forSale.splice(at, 1);
    return order;
  }

  save(position: OrderPosition, random: Random): void {
    remember(this.positions, position, POSITIONS_MAX, random);
  }
}
