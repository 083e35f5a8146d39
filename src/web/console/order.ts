import type { Order, OrderStatus, Status } from "../../../client/contract.ts";

export const ORDER_STATUSES: readonly OrderStatus[] = ["placed", "approved", "delivered", "cancelled"];

/** A step that an order may take. */
export interface Step {
  readonly to: OrderStatus;
  readonly label: string;
  /** What is asked before a step that cannot be taken back. */
  readonly question?: (order: Order) => string;
}

const CANCEL: Step = {
  to: "cancelled",
  label: "Cancel",
  question: ({ petId }) => `Cancel this order? Animal ${petId} becomes available again.`,
};

const STEPS: Readonly<Partial<Record<OrderStatus, readonly Step[]>>> = {
  placed: [{ to: "approved", label: "Approve" }, CANCEL],
  approved: [
    {
      to: "delivered",
      label: "Deliver",
      question: ({ petId }) => `Deliver this order? Animal ${petId} is then sold.`,
    },
    CANCEL,
  ],
};

export function stepsOf({ status }: Order): readonly Step[] {
  return STEPS[status] ?? [];
}

const ANIMAL_STATUS: Readonly<Record<OrderStatus, Status>> = {
  placed: "pending",
  approved: "pending",
  delivered: "sold",
  cancelled: "available",
};

/** The status that a change of an order gives its animal, by the rules of the interface. */
export function animalStatusAfter({ status }: Order): Status {
  return ANIMAL_STATUS[status];
}
