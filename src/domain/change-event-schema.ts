import { z } from "zod";
import { animalSchema } from "./animal-schemas.ts";
import { EVENT_TYPES } from "./change-event.ts";
import { idMember } from "./int64-schema.ts";
import { orderSchema } from "./order-schemas.ts";

/** An event as clients see it. One object rather than a union, which client generators handle badly. */
export const eventSchema = z
  .object({
    id: idMember("The event's identifier. Ids ascend in the order in which events become visible.", 42),
    type: z
      .enum(EVENT_TYPES)
      .meta({ id: "EventType", description: "What happened.", examples: ["animal.status_changed"] }),
    at: z.string().meta({
      description: "When it happened (RFC 3339, UTC, milliseconds).",
      format: "date-time",
      examples: ["2026-11-22T09:30:00.000Z"],
    }),
    animal: animalSchema.optional(),
    order: orderSchema.optional(),
  })
  .meta({
    id: "Event",
    description:
      "A change of an animal or an order, with the `animal` or the `order` as it was after the change.",
  });
