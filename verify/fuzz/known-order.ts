import { ContractViolation } from "../../contract/contract-violation.ts";
import { mayBecome, ORDER_STATUSES, type Order, type OrderStatus, showOrder } from "../../contract/order.ts";

/** What is known of an order, and which statuses it may have while clients race for it. */
export class KnownOrder {
  /** As it was placed; `undefined` while only its id is known, by a guess. */
  #placed: Order | undefined;
  /** The statuses that it may have now. */
  #possible = new Set<OrderStatus>(["placed"]);
  /** All statuses that it may have had or have. */
  readonly #ever = new Set<OrderStatus>(["placed"]);
  /** The statuses that some request asked for. */
  readonly #wanted = new Set<OrderStatus>();

  /** Whether it is known that the order exists. */
  get isPlaced(): boolean {
    return this.#placed !== undefined;
  }

  isFor(petId: string): boolean {
    return `${this.#placed?.petId}` === petId;
  }

  /** Whether it must have a status, now and from now on. */
  hasFinally(status: OrderStatus): boolean {
    const isFinal = !ORDER_STATUSES.some((next) => mayBecome(status, next));
    return isFinal && this.#possible.size === 1 && this.#possible.has(status);
  }

  /** Records that a request asks for a status; returns the outcomes that it may have, when its response has come. */
  want(status: OrderStatus): () => string[] {
    this.#wanted.add(status);
    this.#widen();
    const [before, everBefore] = [new Set(this.#possible), new Set(this.#ever)];
    return () => {
      // Others may have changed it meanwhile.
      const since = [...this.#ever].filter((each) => !everBefore.has(each));
      const from = [...before, ...since];
      const isDone = (each: OrderStatus) => each === status || mayBecome(each, status);
      return [
        ...(from.some(isDone) ? ["200"] : []),
        ...(from.every(isDone) ? [] : ["409 invalid_transition"]),
      ];
    };
  }

  /** Records the order as a response has it. */
  learn(order: Order): void {
    const { id, placedAt, status } = order;
    const placed: Order = { ...order, status: "placed", updatedAt: placedAt };
    this.#placed ??= placed;
    if (showOrder(placed) !== showOrder(this.#placed))
      throw new ContractViolation(`order ${id} is not as it was placed`);
    if (!this.#ever.has(status))
      throw new ContractViolation(`order ${id} is ${status}, which nobody asked for`);
    this.#possible = new Set([...this.#possible].filter((each) => isFrom(status, each)));
  }

  /** Adds the statuses that the order may have once all requests for it are answered. */
  #widen(): void {
    for (let size = -1; size !== this.#possible.size; ) {
      size = this.#possible.size;
      for (const status of this.#wanted)
        if ([...this.#possible].some((each) => mayBecome(each, status))) this.#possible.add(status);
    }
    for (const status of this.#possible) this.#ever.add(status);
  }
}

/** Whether an order that had a status may have another one now. */
function isFrom(status: OrderStatus, now: OrderStatus): boolean {
  return status === now || ORDER_STATUSES.some((next) => mayBecome(status, next) && isFrom(next, now));
}
