import { Failure } from "../domain/failure.ts";
import type { Subscription } from "../operations/operation.ts";
import type { Call } from "./call.ts";
import type { KnownCaller } from "./caller.ts";
import type { EventHub } from "./events/event-hub.ts";
import type { HttpResponse } from "./response/http-response.ts";
import { overloaded } from "./response/render.ts";

/** Seconds until the runtime closes the connection of a stream whose client does not read. */
const ABANDONED_SECONDS = 1;

/** Opens a stream of events, which lasts as long as the caller's key. */
export function openStream(
  hub: EventHub,
  call: Call,
  { key, asOf, hash }: KnownCaller,
  subscription: Subscription,
): HttpResponse | Failure {
  const { request, requestId, connections } = call;
  const { refusal } = hub;
  if (refusal) {
    call.headers.Connection = "close";
    return refusal === "stopping" ? new Failure("not_ready", { part: "stopping" }) : overloaded;
  }
  // Without a body, the runtime would add the Content-Length 0, which no stream has. It cancels this one at once.
  if (request.method === "HEAD") return streamResponse(new ReadableStream());
  // The key may have been looked up in an earlier turn. The stream looks it up again if it has changed since then.
  const listener = {
    key,
    asOf,
    hash,
    requestId,
    abandon: () => connections.timeout(request, ABANDONED_SECONDS),
  };
  return streamResponse(hub.open(subscription, listener));
}

/** The response that carries a stream of server-sent events. */
function streamResponse(body: ReadableStream<Uint8Array>): HttpResponse {
  return {
    status: 200,
    headers: {
      "Content-Type": "text/event-stream",
      // No intermediary may cache it, hold it back or compress it; nginx knows the second header alone.
      "Cache-Control": "no-store, no-transform",
      "X-Accel-Buffering": "no",
      Vary: "Accept, Origin",
      // The runtime leaves the connection without an idle time for good, so no other request may follow on it.
      Connection: "close",
    },
    body,
  };
}
