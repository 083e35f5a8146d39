import type { Fault, FaultName } from "./faults.ts";
import { isEventStream } from "./plain-text.ts";

/** The end of an event in a stream. */
const EVENT_END = "\n\n";

/** The faults that need the whole text of a response. */
const IN_TEXT: ReadonlySet<FaultName> = new Set([
  "malformed_json",
  "empty_body",
  "rounded_id",
  "wrong_content_type",
]);

/** Has the service make a response that can be altered: neither compressed, nor left out because the client has it. */
export function prepareToAlter({ headers }: Request, { fault }: Fault): void {
  if (!IN_TEXT.has(fault)) return;
  headers.delete("accept-encoding");
  headers.delete("if-none-match");
}

/** The response with the fault in it; the same response where the fault lies elsewhere. */
export async function altered(response: Response, { fault, delayMs }: Fault): Promise<Response> {
  if (isEventStream(response)) {
    if (fault === "stream_pause") return new Response(response.body?.pipeThrough(pausing(delayMs)), response);
    if (fault === "stream_repeat") return new Response(response.body?.pipeThrough(repeating()), response);
    return response;
  }
  if (!IN_TEXT.has(fault)) return response;
  const text = await response.text();
  switch (fault) {
    case "malformed_json":
      return withBody(response, text.slice(0, text.length / 2));
    case "empty_body":
      return withBody(response, "");
    case "rounded_id":
      return withBody(response, JSON.stringify(JSON.parse(text)));
    default:
      response.headers.set("Content-Type", "text/html");
      return withBody(response, text);
  }
}

/** Without its `ETag`, which would belong to the whole response. */
function withBody(response: Response, body: string): Response {
  response.headers.delete("etag");
  return new Response(body, response);
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
