import { sleep } from "../client/within.ts";
import { linesOf } from "./lines.ts";
import { MESSAGE_MAX_BYTES } from "./rpc.ts";
import type { Session } from "./session.ts";

/** The most requests in progress: the next line is read when one of them is done. */
const RUNNING_MAX = 64;
/** How long requests in progress may go on after the end of the input, in milliseconds. */
const END_MS = 1000;

/**
 * Answers the lines of an input until it ends.
 *
 * @param write takes a line after the other; it is called again once it has resolved
 * @param secret never leaves: where a line has it, it is masked
 * @throws what `write` throws
 */
export async function serveLines(
  input: AsyncIterable<Uint8Array>,
  write: (text: string) => Promise<void>,
  session: Session,
  secret: string,
): Promise<void> {
  const running = new Set<Promise<void>>();
  const broken = Promise.withResolvers<never>();
  let written = Promise.resolve();
  const inJson = JSON.stringify(secret).slice(1, -1);
  const send = (reply: string) => {
    written = written.then(() => write(`${reply.replaceAll(inJson, "(the API key)")}\n`));
    return written;
  };
  const work = async () => {
    for await (const line of linesOf(input, MESSAGE_MAX_BYTES)) {
      if (line.length === 0) continue;
      const task = session
        .handle(line)
        .then((reply) => (reply === undefined ? undefined : send(reply)))
        .catch(broken.reject)
        .finally(() => running.delete(task));
      running.add(task);
      if (running.size >= RUNNING_MAX) await Promise.race(running);
    }
    await Promise.race([Promise.all(running), sleep(END_MS, undefined)]);
    session.stop();
    await written;
  };
  await Promise.race([work(), broken.promise]);
}
