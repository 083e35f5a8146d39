import type { Random } from "../random.ts";
import type { Conversation, WireAnswer } from "../wire/conversation.ts";
import { MalformedAnswer } from "../wire/head.ts";

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

/** An answer; "closed" if the service closed the connection first, "silent" if nothing came in time. */
export type Received = WireAnswer | "closed" | "silent";

/** The next answer after any interim ones (1xx). */
export async function nextFinal(
  connection: Conversation,
  toHead: boolean,
  withinMs: number,
): Promise<Received> {
  for (;;) {
    const answer = await connection.next(toHead, withinMs);
    if (answer && answer.status >= 200) return answer;
    if (answer) continue;
    if (!connection.over) return "silent";
    if (connection.unread === "") return "closed";
    throw new MalformedAnswer(`it closed after ${JSON.stringify(connection.unread)}`);
  }
}
