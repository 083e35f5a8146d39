import { Failure } from "../../domain/failure.ts";
import type { Subscription } from "../../operations/operation.ts";
import type { CachedKey } from "../authenticate.ts";
import type { Exchange } from "../exchange.ts";
import { overloaded } from "../response/failure-response.ts";
import type { Rendered } from "../response/rendered.ts";
import type { EventHub } from "./event-hub.ts";
import { eventStreamResponse } from "./event-stream-response.ts";

/** Seconds until the runtime closes the connection of a stream whose client does not read. */
const ABANDONED_SECONDS = 1;

/**
 * Opens a stream of events, which lasts as long as the caller's key.
 *
 * @param hash finds the key in the store
 */
export function openStream(
  hub: EventHub,
  exchange: Exchange,
  subscription: Subscription,
  hash: Uint8Array,
): Rendered | Failure {
  const { request, requestId, connections } = exchange;
  const { refusal } = hub;
  if (refusal) {
    exchange.headers.Connection = "close";
    return refusal === "stopping" ? new Failure("not_ready", { part: "stopping" }) : overloaded;
  }
  // Without a body, the runtime would add the Content-Length 0, which no stream has. It cancels this one at once.
  if (request.method === "HEAD") return eventStreamResponse(new ReadableStream());
  // The key may have been looked up in an earlier turn. The hub looks it up again if it has changed since then.
  const listener = {
    ...(exchange.known as CachedKey),
    requestId,
    hash,
    abandon: () => connections.timeout(request, ABANDONED_SECONDS),
  };
  return eventStreamResponse(hub.open(subscription, listener));
}
