import { deliverSignals } from "../process/on-signal.ts";
import type { Progress } from "./progress.ts";

/**
 * Yields chunks of items. Whenever the caller has dealt with one, it shows the progress and lets signals through.
 *
 * @param done how many items were dealt with before
 */
export async function* withProgress<Item>(
  chunks: AsyncIterable<readonly Item[]>,
  progress: Progress,
  done = 0,
): AsyncGenerator<readonly Item[]> {
  let count = done;
  for await (const chunk of chunks) {
    yield chunk;
    count += chunk.length;
    progress.update(count);
    await deliverSignals();
  }
}
