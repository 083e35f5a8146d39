import type { RequestObserver } from "../observations/request-observer.ts";
import type { Handle } from "./runtime/bun-servers.ts";

/** Handles each request in a trace of its own, if the observer traces requests. */
export function traced(handle: Handle, observer: RequestObserver | undefined): Handle {
  const around = observer?.around;
  if (!around) return handle;
  return (request, connections) => {
    const traceparent = request.headers.get("traceparent");
    const tracestate = request.headers.get("tracestate");
    return around({ traceparent, tracestate }, () => handle(request, connections));
  };
}
