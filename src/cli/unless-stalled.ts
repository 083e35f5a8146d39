import { STALLED_MS, Stalled } from "../domain/transfer.ts";

/**
 * Waits for a piece of output to be taken.
 *
 * @param target what takes it, for the message
 * @throws Stalled when it has not been taken for long
 */
export async function unlessStalled<Result>(writing: Promise<Result>, target: string): Promise<Result> {
  const { promise: stalled, reject } = Promise.withResolvers<never>();
  const message =
    `${target} has taken nothing for ${STALLED_MS / 1000} s, and what is read for it keeps the store from clearing up ` +
    "behind its services. Export to a file, and read that.";
  const timer = setTimeout(() => reject(new Stalled(message)), STALLED_MS);
  try {
    return await Promise.race([writing, stalled]);
  } finally {
    clearTimeout(timer);
  }
}
