import {
  type Animal,
  type GetOrderQuery,
  getOrder,
  type ListOrdersQuery,
  listOrders,
  type Order,
  type OrderInput,
  type OrderStatus,
  placeOrder,
  updateOrder,
} from "./contract.ts";
import { PreconditionFailedError } from "./errors-by-code.ts";
import { List } from "./list.ts";
import type { CallOptions, CreateOptions } from "./options.ts";
import { PendingCall } from "./pending-call.ts";
import { callOf } from "./request.ts";
import type { Transport } from "./transport.ts";

/** An order together with its animal, as both were at one moment. */
export type OrderWithPet = Order & { readonly pet: Animal };

/** The settings of one fetch of an order. */
export interface GetOrderOptions extends CallOptions, GetOrderQuery {}

/** Asks for the animals of orders too. */
interface WithPet {
  readonly include: "pet";
}

/** The settings of one change of an order. */
export interface UpdateOptions extends CallOptions {
  /**
   * Changes the order only if it is still as this, however it was obtained (`If-Match`, RFC 9110). For an order that did
   * not come from `get`, the client fetches the order first.
   */
  readonly ifUnchangedSince?: Order | undefined;
}

/**
 * The orders for animals (beta: their shape may change). A call that fails throws a subclass of `AnimalStoreError`. A
 * service that does not offer orders refuses every call with `PathNotFoundError`.
 */
export class Orders {
  readonly #transport: Transport;

  /** @internal */
  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /**
   * Orders an animal that is `available`; it becomes `pending`. The request carries an `Idempotency-Key`, so the client can
   * safely send it again after a lost response: there is one order.
   *
   * @example
   * const order = await store.orders.place(rex.id);
   *
   * @throws AnimalNotFoundError if there is no such animal
   * @throws AnimalNotAvailableError if it is `pending` or `sold`
   * @throws IdempotencyKeyReusedError if `idempotencyKey` named another request in the last 24 hours
   */
  place(petId: bigint, options: CreateOptions = {}): PendingCall<Order> {
    const order = { petId } satisfies Record<keyof OrderInput, unknown>;
    return this.#transport.invoke(placeOrder, {}, options, order);
  }

  /**
   * Lists orders in ascending order of `id`, unless `sort` says otherwise. The client sends the first request when a
   * loop begins.
   *
   * @example
   * for await (const order of store.orders.list({ status: "placed" })) console.log(order.id, order.petId);
   * for await (const { id, pet } of store.orders.list({ include: "pet" })) console.log(id, pet.name);
   *
   * @param query `limit` is the page size: 100 by default, the maximum
   */
  list(query: ListOrdersQuery & WithPet, options?: CallOptions): List<OrderWithPet>;
  list(query?: ListOrdersQuery, options?: CallOptions): List<Order>;
  list(query: ListOrdersQuery = {}, options: CallOptions = {}): List<Order> {
    return new List(this.#transport, listOrders, query, options);
  }

  /**
   * Continues a list at the address of one of its pages: the `url` or `next` of a `Page` that you kept.
   * @throws TypeError if the address is not below `baseUrl`
   */
  listFrom(url: string, options: CallOptions = {}): List<Order> {
    return new List(this.#transport, listOrders, url, options);
  }

  /**
   * Fetches an order by its id; with `include: "pet"` together with its animal.
   * @throws OrderNotFoundError if there is none
   */
  get(orderId: bigint, options: GetOrderOptions & WithPet): PendingCall<OrderWithPet>;
  get(orderId: bigint, options?: GetOrderOptions): PendingCall<Order>;
  get(orderId: bigint, { include, ...others }: GetOrderOptions = {}): PendingCall<Order> {
    return this.#transport.invoke(getOrder, { orderId }, others, undefined, undefined, { include });
  }

  /**
   * Changes the status of an order: from `placed` to `approved`, then to `delivered` (the animal is `sold`); or from
   * `placed` or `approved` to `cancelled` (the animal is `available`). Its current status changes nothing.
   *
   * The client sends the request again after a lost response, since the same status twice changes nothing the second time.
   * If another client took the next step in between, the retry is refused although the first attempt may have succeeded:
   * then `error.cause` is the failure of the attempt before, and `get` shows what became of the order.
   *
   * @throws OrderNotFoundError if there is no such order
   * @throws InvalidTransitionError if it cannot take this step
   * @throws PreconditionFailedError if it is not as `ifUnchangedSince` says; after a retry, the first attempt may have
   *   changed it, as above
   */
  update(orderId: bigint, status: OrderStatus, options: UpdateOptions = {}): PendingCall<Order> {
    const { ifUnchangedSince, ...others } = options;
    const send = (tag?: string) => this.#transport.invoke(updateOrder, { orderId }, others, { status }, tag);
    if (!ifUnchangedSince) return send();
    return new PendingCall(this.#tagOf(orderId, ifUnchangedSince, others).then((tag) => send(tag).reply));
  }

  /**
   * The `ETag` of an order while it is as the caller saw it: that of the response which the order came from, or else the
   * current one of an order that is equal.
   * @throws PreconditionFailedError if it has changed
   */
  async #tagOf(orderId: bigint, known: Order, options: CallOptions): Promise<string> {
    // The tag of an order with its animal is of both, and no condition of a change of the order alone.
    const tag = this.#transport.tagOf(known);
    if (tag && !known.pet && known.id === orderId) return tag;
    const order = await this.get(orderId, options);
    const current = this.#transport.tagOf(order);
    if (
      known.id !== order.id ||
      known.status !== order.status ||
      known.updatedAt !== order.updatedAt ||
      !current
    ) {
      const call = callOf({ operation: updateOrder }, 0);
      const message = `The order has changed: it is ${order.status} since ${order.updatedAt}.`;
      throw new PreconditionFailedError({ code: "precondition_failed", message }, 412, call);
    }
    return current;
  }
}
