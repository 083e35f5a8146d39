import { z } from "zod";
import { animalSchema } from "./animal-schemas.ts";
import { idMember, int64Member } from "./int64-schema.ts";
import { type NewOrder, ORDER_STATUSES, type ReadOrder } from "./order.ts";
import { quote } from "./quote.ts";

const petId = int64Member("The identifier of the ordered animal.", 1);

export const orderStatusSchema = z
  .enum(ORDER_STATUSES, { error: `must be one of ${ORDER_STATUSES.map(quote).join(", ")}` })
  .meta({ id: "OrderStatus", description: "The order's status.", examples: ["placed"] });

/** The body of a new order. Other members are ignored. */
export const orderInputSchema = z
  .object({ petId } satisfies Record<keyof NewOrder, z.ZodType>)
  .meta({ id: "OrderInput", description: "An order to place." });

/** The body of a change of an order. */
export const orderUpdateSchema = z
  .object({ status: orderStatusSchema })
  .meta({ id: "OrderUpdate", description: "The status that the order is to have." });

const time = z.string().meta({ format: "date-time", examples: ["2026-11-22T09:30:00.000Z"] });

/** An order as clients see it. */
export const orderSchema = z
  .object({
    id: idMember("The order's unique identifier. The service assigns it, in ascending order.", 1),
    petId,
    status: orderStatusSchema,
    placedAt: time.meta({ description: "When the order was placed (RFC 3339, UTC, milliseconds)." }),
    updatedAt: time.meta({ description: "When its status last changed (RFC 3339, UTC, milliseconds)." }),
    // Named by reference alone: a description next to it would make the document define the animal twice.
    pet: animalSchema.optional(),
  } satisfies Record<keyof ReadOrder, z.ZodType>)
  .meta({
    id: "Order",
    description:
      "An order for an animal. It holds `pet`, the animal itself, only if the request said `include=pet`.",
  });
