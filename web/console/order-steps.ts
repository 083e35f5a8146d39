import type { Order, OrderStatus } from "../../client/contract.ts";

/** A step that an order may take. */
export interface Step {
  readonly to: OrderStatus;
  readonly label: string;
  /** The question before a step that cannot be undone. */
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

/** The steps that the order may take next. */
export function stepsOf({ status }: Order): readonly Step[] {
  return STEPS[status] ?? [];
}
