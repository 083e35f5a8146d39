import { animals } from "../../cli/counts.ts";
import type { Output } from "../../cli/output.ts";
import { withProgress } from "../../cli/with-progress.ts";
import type { BulkStore, IdempotencyRecord, Snapshot, StoreMetadata } from "../../domain/transfer.ts";
import { ANIMAL_LAYOUT } from "../../formats/animal-row.ts";
import type { Layout } from "../../formats/layout.ts";
import { ORDER_LAYOUT } from "../../formats/order-row.ts";
import { RecordWriter } from "../../formats/writer.ts";
import { CommandFailure } from "../../process/errors.ts";
import { deliverSignals } from "../../process/on-signal.ts";

/** How many items there are, and a checksum over all of them. */
interface Summary {
  readonly count: number;
  readonly checksum: string;
}

/** @throws CommandFailure if the animals of both stores differ */
export async function compareAnimals(source: Snapshot, target: BulkStore, output: Output): Promise<void> {
  await using copied = await target.snapshot();
  using progress = output.progress("check", "animals", source.count + copied.count);
  const own = await summarize(withProgress(source.animals(), progress), lines(ANIMAL_LAYOUT));
  const other = await summarize(withProgress(copied.animals(), progress, own.count), lines(ANIMAL_LAYOUT));
  if (isSame(own, other)) return;
  throw new CommandFailure(
    `the copy differs from the source: it has ${animals(other.count)} with checksum ${other.checksum}, and the source has ` +
      `${animals(own.count)} with ${own.checksum}. Empty the target and copy again.`,
  );
}

/**
 * Compares everything but the animals.
 *
 * @param metadata of the source
 * @param since the time of the oldest idempotency records that were copied, in milliseconds since 1970
 * @returns how many idempotency records there are
 * @throws CommandFailure if they differ
 */
export async function compareRest(
  source: Snapshot,
  metadata: StoreMetadata,
  target: BulkStore,
  since: number,
): Promise<number> {
  await using copied = await target.snapshot();
  const ordersOf = (snapshot: Snapshot) => summarize(snapshot.orders(), lines(ORDER_LAYOUT));
  if (!isSame(await ordersOf(source), await ordersOf(copied))) {
    throw new CommandFailure("the orders of the copy differ from the source's. Empty it and copy again.");
  }
  const recordsOf = (snapshot: Snapshot) => summarize(snapshot.idempotencyRecords(since), recordLines);
  const records = await recordsOf(source);
  if (!isSame(records, await recordsOf(copied)) || !Bun.deepEquals(metadata, await copied.metadata())) {
    throw new CommandFailure(
      "the API keys or idempotency keys of the copy differ from the source's. Empty it and copy again.",
    );
  }
  return records.count;
}

async function summarize<Item>(
  chunks: AsyncIterable<readonly Item[]>,
  toText: (chunk: readonly Item[]) => string,
): Promise<Summary> {
  const hasher = new Bun.CryptoHasher("sha256");
  let count = 0;
  for await (const chunk of chunks) {
    hasher.update(toText(chunk));
    count += chunk.length;
    await deliverSignals();
  }
  return { count, checksum: hasher.digest("hex") };
}

function isSame(one: Summary, other: Summary): boolean {
  return one.count === other.count && one.checksum === other.checksum;
}

function lines<Item>(layout: Layout<Item>): (chunk: readonly Item[]) => string {
  const writer = new RecordWriter(layout, "ndjson");
  return (chunk) => writer.write(chunk);
}

function recordLines(chunk: readonly IdempotencyRecord[]): string {
  return chunk
    .map(({ line, key, digest, animalId, orderId, createdAt }) =>
      JSON.stringify([line, key, digest, `${animalId}`, `${orderId}`, createdAt]),
    )
    .join("\n");
}
