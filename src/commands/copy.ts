import { animals, counted } from "../cli/counts.ts";
import { configOf } from "../cli/options.ts";
import { Output } from "../cli/output.ts";
import { type Options, openForCommand } from "../cli/store-command.ts";
import { withProgress } from "../cli/with-progress.ts";
import { IDEMPOTENCY_TTL_MS } from "../domain/idempotency.ts";
import type { Order } from "../domain/order.ts";
import {
  type BulkStore,
  type CopyTarget,
  NotEmpty,
  type Snapshot,
  type StoreMetadata,
} from "../domain/transfer.ts";
import { CommandFailure } from "../process/errors.ts";
import { Interruption } from "../process/on-signal.ts";
import { storeName } from "../stores/url.ts";
import { compareAnimals, compareRest } from "./copy/compare.ts";
import { refreshCopy } from "./copy/refresh.ts";

/** `animal-store copy --from URL --to URL`: copies a whole store into an empty one. */
export async function copy(options: Options): Promise<void> {
  const from = readUrl(options.from as string, "--from");
  const to = readUrl(options.to as string, "--to");
  if (from === to) throw new CommandFailure("--from and --to name the same store; name two stores.", 2);
  const [fromName, toName] = [storeName(from), storeName(to)];
  const output = new Output(options);
  using interruption = new Interruption(`Nothing was copied to ${toName}.`);
  await using source = await openForCommand(from, "read", output);
  await using target = await openForCommand(to, "write", output);
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
    assertUnchanged(source, snapshot, metadata, rewrites),
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
  const rest = snapshot.animals(copyTarget.lastId);
  for await (const chunk of withProgress(rest, progress, already)) await copyTarget.add(chunk);
}

async function* ordersOf(snapshot: Snapshot, output: Output): AsyncGenerator<readonly Order[]> {
  using progress = output.progress("copy", "orders", snapshot.orderCount);
  yield* withProgress(snapshot.orders(), progress);
}

/**
 * @param metadata of the snapshot; its last ids may be those of later animals and orders, since PostgreSQL's sequences belong to
 *   no transaction
 * @param rewrites of the snapshot: a changed order leaves no trace in the metadata
 */
async function assertUnchanged(
  source: BulkStore,
  snapshot: Snapshot,
  metadata: StoreMetadata,
  rewrites: bigint,
): Promise<void> {
  await using now = await source.snapshot();
  const added = now.count - snapshot.count;
  const placed = now.orderCount - snapshot.orderCount;
  const isSame = added === 0 && placed === 0 && (await now.rewrites()) === rewrites;
  if (isSame && Bun.deepEquals(await now.metadata(), metadata)) return;
  throw new CommandFailure(
    `the source changed meanwhile (${animals(Math.max(added, 0))} added, ${counted(Math.max(placed, 0), "order")} placed): ` +
      "stop the services that use it, and run the same command again. It continues from here; until then no service opens " +
      "the copy.",
  );
}

/** Checks a URL as DATABASE_URL is checked. */
function readUrl(text: string, flag: string): string {
  try {
    return configOf({ database: text }).config.DATABASE_URL;
  } catch (error) {
    if (error instanceof Error) error.message = error.message.replaceAll("--database", flag);
    throw error;
  }
}
