import { STALLED_MS, Stalled } from "../../domain/transfer.ts";
import { within } from "../../system/within.ts";

/**
 * Waits until a piece of output is taken.
 *
 * @param target what takes it, for the message
 * @throws Stalled when it has taken nothing for long
 */
export function unlessStalled<Result>(writing: Promise<Result>, target: string): Promise<Result> {
  return within(STALLED_MS, writing, () => {
    throw new Stalled(
      `${target} has accepted no data for ${STALLED_MS / 1000} s, and meanwhile the store keeps everything that the ` +
        "export may still read. Export to a file and read that.",
    );
  });
}
