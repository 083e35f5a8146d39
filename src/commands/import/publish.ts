import { written } from "../../cli/counts.ts";
import type { RowKind } from "../../cli/row-kind.ts";
import type { StoreCommand } from "../../cli/store-command.ts";
import { IdsTaken, NoLongerAgrees, type Published, type Staging } from "../../domain/transfer.ts";
import { CommandFailure } from "../../process/errors.ts";
import { deliverSignals, type Interruption } from "../../process/on-signal.ts";
import type { ImportChoices } from "./choices.ts";
import { nameOf, type RowsRead } from "./read-rows.ts";

/** One run of the command. */
export interface Import<Item> {
  readonly kind: RowKind<unknown, Item>;
  readonly command: StoreCommand;
  readonly choices: ImportChoices;
}

/** A batch this many times larger than an unnoticeable one may make writes of a running service fail. */
const MANY = 10;

/**
 * Makes the staged rows part of the store, and keeps `interruption` true meanwhile.
 *
 * @throws CommandFailure if the store refuses them
 */
export async function publishRows<Item>(
  { kind, command: { output, storeName }, choices }: Import<Item>,
  staging: Staging<Item>,
  { count, digest, withIds }: RowsRead,
  interruption: Interruption,
): Promise<Published> {
  const { commitEvery, again, file } = choices;
  const all = kind.count(count);
  if (withIds && commitEvery < count) {
    throw new CommandFailure(
      "--commit-every requires new ids, since a service may give ids of the file to its own creates; add --ids new.",
      2,
    );
  }
  const atOnce = Math.min(commitEvery, count);
  if (atOnce > staging.smallBatch * MANY) {
    const wait = `Publishing ${kind.count(atOnce)} at once; creates and orders of a running service may wait meanwhile.`;
    const advice = ` Next time --commit-every ${staging.smallBatch} keeps each wait short.`;
    await output.explain(withIds || kind.needsStore ? wait : wait + advice);
  }
  const isWhole = `${count === 1 ? `${all} was` : `All ${all} were`} imported into ${storeName}.`;
  // One more batch may be in progress.
  const partly = (done: number) =>
    `${written(done)} of ${all} are in ${storeName}; run the same command again to continue after them.`;
  interruption.outcome =
    atOnce === count
      ? `Either all ${all} are in ${storeName}, or none: running the command again adds none twice.`
      : partly(0);
  using progress = output.progress("publish", kind.many, count);
  const onProgress = (done: number) => {
    interruption.outcome = done === count ? isWhole : partly(done);
    progress.update(done);
  };
  const published = await staging
    .publish({ digest: again ? undefined : digest, commitEvery, onProgress })
    .catch((error) => {
      if (error instanceof NoLongerAgrees) throw noLongerAgrees(error);
      throw explainTaken(error, file, kind.needsStore);
    });
  interruption.outcome = isWhole;
  await deliverSignals();
  return published;
}

/** Turns `IdsTaken` into a message; any other error is returned as it is. */
export function explainTaken(error: unknown, file: string, areOrders: boolean): unknown {
  if (!(error instanceof IdsTaken)) return error;
  const { lastId } = error;
  const others = areOrders ? "a store without orders" : "an empty store";
  return new CommandFailure(
    `${nameOf(file)} has ids of its own, and the store has already given ids up to ${lastId}; nothing was ` +
      `imported. Assign new ids with --ids new, or import into ${others}.`,
  );
}

function noLongerAgrees({ message }: NoLongerAgrees): CommandFailure {
  return new CommandFailure(
    `the store changed while the file was read, and a row contradicts it now: ${message}. Nothing was imported; run the ` +
      "same command again to see which row.",
  );
}
