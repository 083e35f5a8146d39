import type { HttpResponse } from "../http/response/http-response.ts";
import type { Fault } from "./faults.ts";

/** The end of an event in a stream. */
const EVENT_END = "\n\n";

/** The response with the fault in it; the same response where the fault lies elsewhere. */
export function altered(response: HttpResponse, { fault, delayMs }: Fault): HttpResponse {
  const { body } = response;
  if (body instanceof ReadableStream) {
    if (fault === "stream_pause") return { ...response, body: body.pipeThrough(pausing(delayMs)) };
    if (fault === "stream_repeat") return { ...response, body: body.pipeThrough(repeating()) };
    return response;
  }
  const text = response.preEncoded?.text ?? body;
  if (typeof text !== "string") return response;
  switch (fault) {
    case "malformed_json":
      return withBody(response, text.slice(0, text.length / 2));
    case "empty_body":
      return withBody(response, "");
    case "rounded_id":
      return withBody(response, JSON.stringify(JSON.parse(text)));
    case "wrong_content_type":
      return withBody(response, text, { "Content-Type": "text/html" });
    default:
      return response;
  }
}

/** Without its `ETag`, which would belong to the whole response. */
function withBody(
  { status, headers: { ETag: _, ...headers }, failure }: HttpResponse,
  body: string,
  own: Readonly<Record<string, string>> = {},
): HttpResponse {
  return { status, headers: { ...headers, ...own }, body, ...(failure && { failure }) };
}

/** Passes on the first event, and the rest after a pause. */
function pausing(milliseconds: number): TransformStream<Uint8Array, Uint8Array> {
  let hasPaused = false;
  return events(async (event, send) => {
    send(event);
    if (!hasPaused && event.includes("data:")) {
      hasPaused = true;
      await Bun.sleep(milliseconds);
    }
  });
}

/** Passes on each event twice. */
function repeating(): TransformStream<Uint8Array, Uint8Array> {
  return events((event, send) => {
    send(event);
    if (event.includes("data:")) send(event);
  });
}

/** Splits a stream into its events, each with its end. */
function events(
  pass: (event: string, send: (event: string) => void) => void | Promise<void>,
): TransformStream<Uint8Array, Uint8Array> {
  const decoder = new TextDecoder();
  const encoder = new TextEncoder();
  let rest = "";
  return new TransformStream({
    async transform(chunk, controller) {
      rest += decoder.decode(chunk, { stream: true });
      const parts = rest.split(EVENT_END);
      rest = parts.pop() as string;
      for (const part of parts)
        await pass(part + EVENT_END, (event) => controller.enqueue(encoder.encode(event)));
    },
  });
}
