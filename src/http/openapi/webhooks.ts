import { eventSchema } from "../../domain/change-event-schema.ts";
import { listEvents } from "../../operations/list-events.ts";
import type { Operation } from "../../operations/operation.ts";
import { type Json, schemaOf } from "./schemas.ts";

/** Generators make a file of each tag. With the tag of `listEvents`, openapi-generator overwrites that operation's client. */
export const WEBHOOKS_TAG = {
  name: "Webhooks",
  description: "What a relay posts to an address of yours.",
};

/** The headers of a delivery (Standard Webhooks 1.0). */
const HEADERS: Readonly<Record<string, { readonly description: string; readonly schema: Json }>> = {
  "webhook-id": {
    description: "Identifies the event: the same whenever it is delivered, so that a receiver acts once.",
    schema: { type: "string", pattern: "^evt_[0-9]{1,19}_[0-9a-f]{20}$", minLength: 26, maxLength: 44 },
  },
  "webhook-timestamp": {
    description:
      "When this attempt was made, in seconds since 1970. Refuse what is more than five minutes away.",
    schema: { type: "string", pattern: "^[0-9]{10,12}$", minLength: 10, maxLength: 12 },
  },
  "webhook-signature": {
    description:
      "`v1,` and the HMAC-SHA256 of `id.timestamp.body` in base64; during a rotation two of them, separated by a space.",
    schema: { type: "string", minLength: 1, maxLength: 100 },
  },
};

/** What `animal-store relay` sends to an address, for a service that offers the feed which it reads. */
export function describeWebhooks(operations: readonly Operation[]): Json | undefined {
  if (!operations.includes(listEvents)) return undefined;
  const [, example] = (listEvents.responses[200]?.example ?? []) as readonly unknown[];
  return {
    event: {
      post: {
        operationId: "receiveEvent",
        tags: [WEBHOOKS_TAG.name],
        summary: "Receive an event",
        description:
          "A relay posts each event of the feed to your address, by Standard Webhooks 1.0: signed, in order, and at " +
          "least once. The next event follows when this one is accepted.",
        "x-stability": listEvents.stability,
        // Your address has no key of this service: the signature says who calls.
        security: [],
        parameters: Object.entries(HEADERS).map(([name, header]) => ({
          name,
          in: "header",
          required: true,
          ...header,
        })),
        requestBody: {
          required: true,
          description: "The event, with the same JSON as in the feed.",
          content: {
            "application/json": {
              schema: schemaOf(eventSchema),
              example,
            },
          },
        },
        responses: {
          "2XX": { description: "Accepted: do the work later." },
          "410": { description: "No more events are wanted: the relay stops." },
          default: {
            description: "Not accepted: the relay repeats it for three days, or as `Retry-After` says.",
          },
        },
      },
    },
  };
}
