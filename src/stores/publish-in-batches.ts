import type { Publication, Published } from "../domain/transfer.ts";

/** Between two transactions, so that the creates of services come in between. */
const PAUSE_MS = 100;

/**
 * Publishes staged animals, some in each transaction.
 *
 * @param total how many there are
 * @param onProgress told of how many are done
 * @param publishFrom publishes what comes after so many, in one transaction; `count` is how many are done then
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
