import type { Publication, Published } from "../domain/transfer.ts";

/** The pause between two transactions, in which creates of running services can commit. */
const PAUSE_MS = 100;

/**
 * Publishes staged items in several transactions.
 *
 * @param total the number of items
 * @param onProgress receives the number of items published so far
 * @param publishFrom publishes the items after the first `done` in one transaction; returns the number published so far
 */
export async function publishInBatches(
  total: number,
  onProgress: Publication["onProgress"],
  publishFrom: (done: number) => Published | Promise<Published>,
): Promise<Published> {
  let published: Published = { count: 0, firstId: 0n, lastId: 0n };
  while (published.count < total) {
    const next = await publishFrom(published.count);
    published = published.count === 0 ? next : { ...next, firstId: published.firstId };
    onProgress(published.count);
    if (published.count < total) await Bun.sleep(PAUSE_MS);
  }
  return published;
}
