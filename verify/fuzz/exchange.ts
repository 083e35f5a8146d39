import type { Random } from "../random.ts";
import type { Conversation, WireResponse } from "../wire/conversation.ts";
import { MalformedResponse } from "../wire/head.ts";

/** Sends bytes at once, or now and then in pieces, as networks do. */
export async function send(connection: Conversation, bytes: Buffer, random: Random): Promise<void> {
  const pieces = random.weighted([
    [95, 1],
    [4, random.between(2, 5)],
    [1, 40],
  ]);
  const size = Math.max(1, Math.ceil(bytes.length / pieces));
  for (let at = 0; at < bytes.length; at += size) {
    if (at > 0) await new Promise(setImmediate);
    connection.send(bytes.subarray(at, at + size));
  }
}

/** A response; "closed" if the service closed the connection first, "silent" if nothing came in time. */
export type Received = WireResponse | "closed" | "silent";

/** The next response after any interim ones (1xx). */
export async function nextFinal(
  connection: Conversation,
  toHead: boolean,
  withinMs: number,
): Promise<Received> {
  for (;;) {
    const response = await connection.next(toHead, withinMs);
    if (response && response.status >= 200) return response;
    if (response) continue;
    if (!connection.over) return "silent";
    if (connection.unread === "") return "closed";
    throw new MalformedResponse(`it closed after ${JSON.stringify(connection.unread)}`);
  }
}
