import type { Rendered } from "../response/rendered.ts";

/** Renders a stream of server-sent events. */
export function eventStreamResponse(body: ReadableStream<Uint8Array>): Rendered {
  return {
    status: 200,
    headers: {
      "Content-Type": "text/event-stream",
      // Nobody on the way may keep it, hold it back or compress it; nginx knows the second header alone.
      "Cache-Control": "no-store, no-transform",
      "X-Accel-Buffering": "no",
      Vary: "Accept, Origin",
      // The runtime leaves the connection without an idle time for good, so no other request may follow on it.
      Connection: "close",
    },
    body,
  };
}
