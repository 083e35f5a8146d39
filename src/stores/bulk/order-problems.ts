import type { Status } from "../../domain/animal.ts";
import type { OrderStatus } from "../../domain/order.ts";
import type { IncomingOrder, RowProblem } from "../../domain/transfer.ts";

/** The state of an animal, as far as it decides whether an order for it can be imported. */
export interface OrderedAnimal {
  readonly id: bigint;
  /** `null` if there is no such animal. */
  readonly status: Status | null;
  /** The animal's order that is not cancelled, if it has one. */
  readonly orderId: bigint | null;
  readonly orderStatus: OrderStatus | null;
  /** Whether an earlier row of the file has an order for it that is not cancelled. */
  readonly staged: boolean;
}

/** Finds the orders that contradict the store, or an earlier order. */
export function findOrderProblems(
  orders: readonly IncomingOrder[],
  animals: readonly OrderedAnimal[],
): RowProblem[] {
  const byId = new Map(animals.map((animal) => [animal.id, animal]));
  const taken = new Set(animals.filter(({ staged }) => staged).map(({ id }) => id));
  return orders.flatMap((order, index) => {
    const problem = problemOf(order, byId.get(order.petId), taken);
    if (problem !== undefined) return { index, problem };
    if (order.status !== "cancelled") taken.add(order.petId);
    return [];
  });
}

function problemOf(
  { petId, status }: IncomingOrder,
  animal: OrderedAnimal | undefined,
  taken: ReadonlySet<bigint>,
): string | undefined {
  if (animal === undefined || animal.status === null) {
    return `\`petId\` is ${petId}, and the store has no animal with this id`;
  }
  if (status === "cancelled") return undefined;
  if (animal.orderId !== null) {
    return `\`petId\` is ${petId}, and order ${animal.orderId} for this animal is ${animal.orderStatus}; ${ONLY_ONE}`;
  }
  if (taken.has(petId)) {
    return `\`petId\` is ${petId}, and an earlier row has an order for this animal; ${ONLY_ONE}`;
  }
  if (status !== "delivered" && animal.status === "sold") {
    return `\`status\` is ${status}, and animal ${petId} is sold; its order can only be delivered or cancelled`;
  }
  return undefined;
}

const ONLY_ONE = "an animal has at most one order that is not cancelled";
