import { STATUS_CODES } from "node:http";
import { setTimeout } from "node:timers/promises";
import type { ClientSocket } from "./client-socket.ts";

/** How many bytes of a slow response arrive at a time. */
const PIECE_BYTES = 32;
/** Where the JSON of an event begins in a stream. */
const EVENT_DATA = "data: ";
/** How many bytes of that JSON arrive before a cut. */
const EVENT_PART_BYTES = 8;

/** Sends a response up to the middle of its body or, if that is a stream, of its next event, and closes the connection. */
export async function sendCut(response: Response, socket: ClientSocket): Promise<void> {
  if (response.headers.get("content-type") === "text/event-stream") await sendCutStream(response, socket);
  else {
    const body = await response.bytes();
    const head = headOf(response, `Content-Length: ${body.length}`);
    await socket.send(Buffer.concat([head, body.subarray(0, body.length / 2)]));
  }
  socket.close();
}

async function sendCutStream(response: Response, socket: ClientSocket): Promise<void> {
  if (!(await socket.send(headOf(response, "Transfer-Encoding: chunked")))) return;
  for await (const bytes of response.body ?? []) {
    const data = Buffer.from(bytes).indexOf(EVENT_DATA);
    const end = data < 0 ? bytes.length : data + EVENT_DATA.length + EVENT_PART_BYTES;
    const chunk = [`${bytes.length.toString(16)}\r\n`, bytes.subarray(0, end), data < 0 ? "\r\n" : ""];
    if (!(await socket.send(Buffer.concat(chunk.map((part) => Buffer.from(part as string)))))) return;
    if (data >= 0) return;
  }
}

/** The head of a response as it stands on the wire. @param framing the header that tells where the body ends */
function headOf({ status, headers }: Response, framing: string): Buffer {
  const reason = STATUS_CODES[status];
  const lines = [...headers].map(([name, value]) => `${name}: ${value}`);
  return Buffer.from(
    [`HTTP/1.1 ${status} ${reason}`, ...lines, `Date: ${new Date().toUTCString()}`, framing, "\r\n"].join(
      "\r\n",
    ),
    "latin1",
  );
}

/** The response whose body arrives in small pieces, with a pause before each. */
export function slowed(response: Response, pauseMs: number): Response {
  if (!response.body) return response;
  const pieces = response.body.pipeThrough(
    new TransformStream<Uint8Array, Uint8Array>({
      async transform(bytes, controller) {
        for (let at = 0; at < bytes.length; at += PIECE_BYTES) {
          // A client that has gone must not keep a stopped sandbox running.
          await setTimeout(pauseMs, undefined, { ref: false });
          controller.enqueue(bytes.subarray(at, at + PIECE_BYTES));
        }
      },
    }),
  );
  return new Response(pieces, response);
}
