import type { Int64 } from "./body.ts";

export const ORDER_STATUSES = ["placed", "approved", "delivered", "cancelled"] as const;

export interface Order {
  readonly id: Int64;
  readonly petId: Int64;
  readonly status: string;
  readonly placedAt: string;
  readonly updatedAt: string;
}

/** A step that an order may take. */
export interface Step {
  readonly to: string;
  readonly label: string;
  /** What is asked before a step that cannot be taken back. */
  readonly question?: (order: Order) => string;
}

const CANCEL: Step = {
  to: "cancelled",
  label: "Cancel",
  question: ({ petId }) => `Cancel this order? Animal ${petId} becomes available again.`,
};

const STEPS: Readonly<Record<string, readonly Step[]>> = {
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

const ANIMAL_STATUS: Readonly<Record<string, string>> = {
  placed: "pending",
  approved: "pending",
  delivered: "sold",
  cancelled: "available",
};

/** The status that a change of an order gives its animal, by the rules of the interface. */
export function animalStatusAfter({ status }: Order): string | undefined {
  return ANIMAL_STATUS[status];
}
