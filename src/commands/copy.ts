import { animals, counted } from "../cli/counts.ts";
import { CommandFailure } from "../cli/errors.ts";
import { deliverSignals, Interruption } from "../cli/on-signal.ts";
import { configOf } from "../cli/options.ts";
import { Output } from "../cli/output.ts";
import { refreshCopy } from "../cli/refresh-copy.ts";
import { reportWaiting } from "../cli/report-waiting.ts";
import type { Animal } from "../domain/animal.ts";
import { IDEMPOTENCY_TTL_MS } from "../domain/idempotency.ts";
import type { Order } from "../domain/order.ts";
import {
  type BulkStore,
  type CopyTarget,
  NotEmpty,
  type Snapshot,
  type StoreMetadata,
} from "../domain/transfer.ts";
import { ANIMAL_LAYOUT } from "../formats/animal-row.ts";
import type { Layout } from "../formats/layout.ts";
import { ORDER_LAYOUT } from "../formats/order-row.ts";
import { RecordWriter } from "../formats/writer.ts";
import { openBulkStore } from "../stores/open-bulk.ts";
import { storeName } from "../stores/url.ts";

/** One run of the command, with the URLs of both stores. */
interface Run {
  readonly from: string;
  readonly to: string;
  readonly output: Output;
}

/** `animal-store copy --from URL --to URL`: copies a whole store into an empty one. */
export async function copy(options: Record<string, unknown>): Promise<void> {
  const from = readUrl(options.from as string, "--from");
  const to = readUrl(options.to as string, "--to");
  if (from === to) throw new CommandFailure("--from and --to name the same store; name two stores.", 2);
  const run: Run = { from, to, output: new Output(options) };
  using interruption = new Interruption(`Nothing was copied to ${storeName(to)}.`);
  const source = await openBulkStore(from, "read", Date.now, reportWaiting(run.output));
  try {
    const target = await openBulkStore(to, "write", Date.now, reportWaiting(run.output));
    try {
      await copyStore(source, target, run, interruption);
    } finally {
      await target.close();
    }
  } finally {
    await source.close();
  }
}

async function copyStore(
  source: BulkStore,
  target: BulkStore,
  run: Run,
  interruption: Interruption,
): Promise<void> {
  const { from, output } = run;
  const [fromName, toName] = [storeName(from), storeName(run.to)];
  await using snapshot = await source.snapshot();
  const metadata = await snapshot.metadata();
  const copyTarget = await target.receive(identityOf(metadata, from)).catch((error) => {
    if (!(error instanceof NotEmpty)) throw error;
    throw new CommandFailure(`--to names a store that is not empty: ${error.message}; name an empty one.`);
  });
  interruption.outcome = `The copy in ${toName} is not finished, and no service opens it; run the same command again to continue.`;
  if (copyTarget.lastId > 0n) await refresh(snapshot, target, copyTarget, output);
  await copyAnimals(snapshot, copyTarget, await countOf(target), output);
  await compareAnimals(snapshot, target, output);
  const since = Date.now() - IDEMPOTENCY_TTL_MS;
  // Changes that clients make meanwhile must not be lost: no service opens the copy until the source is unchanged.
  const rewrites = await snapshot.rewrites();
  await copyTarget.finish(metadata, ordersOf(snapshot, output), snapshot.idempotencyRecords(since), () =>
    assertUnchanged(source, metadata, rewrites),
  );
  interruption.outcome = `${fromName} was copied to ${toName}.`;
  const idempotencyKeys = await compareRest(snapshot, metadata, target, since);
  const { keys, lastAnimalId, lastOrderId } = metadata;
  await output.report(
    {
      from: fromName,
      store: toName,
      animals: snapshot.count,
      orders: snapshot.orderCount,
      keys: keys.length,
      idempotencyKeys,
      lastAnimalId,
      lastOrderId,
    },
    `Copied ${animals(snapshot.count)}, ${counted(snapshot.orderCount, "order")}, ${counted(keys.length, "API key")}, ` +
      `${counted(idempotencyKeys, "idempotency key")} from ${fromName} to ${toName}; counts and checksums agree. ` +
      `The last ids given are ${lastAnimalId} for animals and ${lastOrderId} for orders.`,
  );
}

/** A store is identified by the secret of its cursors; a store that never served has none. */
function identityOf({ cursorSecret }: StoreMetadata, url: string): string {
  return new Bun.CryptoHasher("sha256").update(cursorSecret ?? url).digest("hex");
}

async function countOf(store: BulkStore): Promise<number> {
  await using snapshot = await store.snapshot();
  return snapshot.count;
}

async function refresh(
  snapshot: Snapshot,
  target: BulkStore,
  copyTarget: CopyTarget,
  output: Output,
): Promise<void> {
  await using copied = await target.snapshot();
  await output.explain(`Continuing after id ${copyTarget.lastId}.`);
  const changed = await refreshCopy(snapshot, copied, copyTarget);
  if (changed > 0) await output.explain(`${animals(changed)} had changed since, and were copied again.`);
}

/** @param already how many animals an interrupted attempt has copied */
async function copyAnimals(
  snapshot: Snapshot,
  copyTarget: CopyTarget,
  already: number,
  output: Output,
): Promise<void> {
  using progress = output.progress("copy", "animals", snapshot.count);
  let done = already;
  for await (const chunk of snapshot.animals(copyTarget.lastId)) {
    await copyTarget.add(chunk);
    done += chunk.length;
    progress.update(done);
    await deliverSignals();
  }
}

/** The orders of a store, with progress. */
async function* ordersOf(snapshot: Snapshot, output: Output): AsyncGenerator<readonly Order[]> {
  using progress = output.progress("copy", "orders", snapshot.orderCount);
  let done = 0;
  for await (const chunk of snapshot.orders()) {
    yield chunk;
    done += chunk.length;
    progress.update(done);
    await deliverSignals();
  }
}

/** Compares the animals of both stores: their number, and a checksum over all of them. */
async function compareAnimals(snapshot: Snapshot, target: BulkStore, output: Output): Promise<void> {
  await using copied = await target.snapshot();
  using progress = output.progress("check", "animals", snapshot.count + copied.count);
  let done = 0;
  const onProgress = (count: number) => {
    done += count;
    progress.update(done);
  };
  const own = await checksumOf(ANIMAL_LAYOUT, snapshot.animals(), onProgress);
  const other = await checksumOf(ANIMAL_LAYOUT, copied.animals(), onProgress);
  if (snapshot.count === copied.count && own === other) return;
  throw new CommandFailure(
    `the copy differs from the source: it has ${animals(copied.count)} with checksum ${other}, and the source has ` +
      `${animals(snapshot.count)} with ${own}. Empty the target and copy again.`,
  );
}

async function checksumOf<Item>(
  layout: Layout<Item>,
  chunks: AsyncIterable<readonly Item[]>,
  onProgress: (count: number) => void = () => {},
): Promise<string> {
  const hasher = new Bun.CryptoHasher("sha256");
  const writer = new RecordWriter(layout, "ndjson");
  for await (const chunk of chunks) {
    hasher.update(writer.write(chunk));
    onProgress(chunk.length);
    await deliverSignals();
  }
  return hasher.digest("hex");
}

/** @param rewrites of the snapshot: an order that was changed leaves no other trace in what stores tell of themselves */
async function assertUnchanged(source: BulkStore, metadata: StoreMetadata, rewrites: bigint): Promise<void> {
  await using now = await source.snapshot();
  const later = await now.metadata();
  if (describe(later) === describe(metadata) && (await now.rewrites()) === rewrites) return;
  const added = later.lastAnimalId - metadata.lastAnimalId;
  const placed = later.lastOrderId - metadata.lastOrderId;
  throw new CommandFailure(
    `the source changed meanwhile (${animals(Number(added))} added, ${counted(Number(placed), "order")} placed): stop the services that use it, and run the same ` +
      "command again. It continues from here; until then no service opens the copy.",
  );
}

/** Compares everything but the animals, and returns how many idempotency records there are. */
async function compareRest(
  snapshot: Snapshot,
  metadata: StoreMetadata,
  target: BulkStore,
  since: number,
): Promise<number> {
  await using copied = await target.snapshot();
  const ownOrders = await checksumOf(ORDER_LAYOUT, snapshot.orders());
  if (
    copied.orderCount !== snapshot.orderCount ||
    (await checksumOf(ORDER_LAYOUT, copied.orders())) !== ownOrders
  ) {
    throw new CommandFailure("the orders of the copy differ from the source's. Empty it and copy again.");
  }
  const [own, other] = [await checkRetries(snapshot, since), await checkRetries(copied, since)];
  if (own.checksum !== other.checksum || describe(metadata) !== describe(await copied.metadata())) {
    throw new CommandFailure(
      "the API keys or idempotency keys of the copy differ from the source's. Empty it and copy again.",
    );
  }
  return own.count;
}

async function checkRetries(store: Snapshot, since: number): Promise<{ count: number; checksum: string }> {
  const hasher = new Bun.CryptoHasher("sha256");
  let count = 0;
  for await (const chunk of store.idempotencyRecords(since)) {
    for (const { line, key, digest, animalId, orderId, createdAt } of chunk) {
      hasher.update(JSON.stringify([line, key, digest, `${animalId}`, `${orderId}`, createdAt]));
    }
    count += chunk.length;
  }
  return { count, checksum: hasher.digest("hex") };
}

/** Everything in a store besides animals, orders and idempotency records, as a text to compare. */
function describe({
  lastAnimalId,
  lastOrderId,
  newestEventId,
  recordsEvents,
  lastKeyId,
  keys,
  imports,
  corrections,
  cursorSecret,
}: StoreMetadata): string {
  const hex = (bytes: Uint8Array | undefined) => (bytes ? Buffer.from(bytes).toString("hex") : null);
  const keyTexts = keys.map(
    ({ id, line, environment, hash, name, scopes, createdAt, expiresAt, revokedAt }) => [
      id,
      line,
      environment,
      hex(hash),
      name,
      scopes,
      createdAt,
      expiresAt,
      revokedAt,
    ],
  );
  const importTexts = imports.map(({ digest, done, total, firstId, lastId, finishedAt }) => [
    digest,
    done,
    total,
    `${firstId}`,
    `${lastId}`,
    finishedAt,
  ]);
  const correctionTexts = corrections.map(({ at, by, before, after }) => [
    at,
    by,
    textsOf(before),
    after && textsOf(after),
  ]);
  return JSON.stringify([
    `${lastAnimalId}`,
    `${lastOrderId}`,
    `${newestEventId}`,
    recordsEvents,
    lastKeyId,
    keyTexts,
    importTexts,
    correctionTexts,
    hex(cursorSecret),
  ]);
}

function textsOf({ id, name, categoryId, status }: Animal): string[] {
  return [`${id}`, name, `${categoryId}`, status];
}

/** Checks a URL as DATABASE_URL is checked. */
function readUrl(text: string, flag: string): string {
  try {
    return configOf({ database: text }).config.DATABASE_URL;
  } catch (error) {
    throw error instanceof Error ? renamed(error, flag) : error;
  }
}

function renamed(error: Error, flag: string): Error {
  error.message = error.message.replaceAll("--database", flag);
  return error;
}
