import { setTimeout } from "node:timers/promises";

/** How many bytes of a slow body arrive at a time. */
const PIECE_BYTES = 32;
/** Until the first half of a body has left. */
const LEAVES_WITHIN_MS = 50;

/** A body of known length, as a `Target` posts it in place of a text. */
export interface BrokenBody {
  readonly length: number;
  readonly stream: ReadableStream<Uint8Array>;
}

/** The first half of a body, after which the connection closes. */
export function cutShort(body: string): BrokenBody {
  const bytes = Buffer.from(body);
  const half = bytes.subarray(0, Math.floor(bytes.length / 2));
  return broken(bytes.length, [half], async (isFirst) => {
    if (isFirst) return;
    await setTimeout(LEAVES_WITHIN_MS);
    throw new Error("the connection was closed in the middle of the body");
  });
}

/** A whole body in small pieces, with a pause before each. */
export function trickled(body: string, pauseMs: number): BrokenBody {
  const bytes = Buffer.from(body);
  const pieces = [];
  for (let at = 0; at < bytes.length; at += PIECE_BYTES) pieces.push(bytes.subarray(at, at + PIECE_BYTES));
  return broken(bytes.length, pieces, async () => {
    // A receiver that is posted to must not keep a stopped program running.
    await setTimeout(pauseMs, undefined, { ref: false });
  });
}

/** @param before is called before each piece, and before the end */
function broken(
  length: number,
  pieces: readonly Uint8Array[],
  before: (isFirst: boolean) => Promise<void>,
): BrokenBody {
  let next = 0;
  const stream = new ReadableStream<Uint8Array>({
    async pull(controller) {
      const piece = pieces[next];
      await before(next === 0);
      next++;
      if (piece) controller.enqueue(piece);
      else controller.close();
    },
  });
  return { length, stream };
}
