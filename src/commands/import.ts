import { counted, idRange, written } from "../cli/counts.ts";
import { CommandFailure } from "../cli/errors.ts";
import { type ImportChoices, readImportChoices } from "../cli/import/choices.ts";
import { nameOf, type RowsRead, readRows, sizeOf } from "../cli/import/read-rows.ts";
import { Rejects } from "../cli/import/rejects.ts";
import { deliverSignals, Interruption } from "../cli/on-signal.ts";
import { ANIMALS, ORDERS, type RowKind } from "../cli/row-kind.ts";
import { type Options, StoreCommand } from "../cli/store-command.ts";
import { rfc3339 } from "../domain/time.ts";
import {
  type BulkStore,
  IdsTaken,
  type ImportRecord,
  NoLongerAgrees,
  type Staging,
} from "../domain/transfer.ts";
import { MissingStore } from "../stores/errors.ts";

/** A batch this many times larger than an unnoticeable one may make creates of a running service fail. */
const MANY = 10;

/** `animal-store import FILE|-`: reads and checks all of a file first, then makes it part of the stock. */
export async function importFile(file: string, options: Options): Promise<void> {
  const command = new StoreCommand(options);
  const choices = readImportChoices(file, options, command.config.DATABASE_URL);
  // A file that cannot be read must not leave an empty store behind.
  if (file !== "-") sizeOf(file);
  const run =
    options.orders === true ? new Import(ORDERS, command, choices) : new Import(ANIMALS, command, choices);
  await (choices.dryRun ? run.tryOut() : run.execute());
}

/** One run of the command. */
class Import<Item> {
  readonly #kind: RowKind<unknown, Item>;
  readonly #command: StoreCommand;
  readonly #choices: ImportChoices;

  constructor(kind: RowKind<unknown, Item>, command: StoreCommand, choices: ImportChoices) {
    this.#kind = kind;
    this.#command = command;
    this.#choices = choices;
  }

  /** Reads and checks the file, and reports what importing it would do. */
  async tryOut(): Promise<void> {
    const { many } = this.#kind;
    const { output, storeName } = this.#command;
    using _ = new Interruption("Nothing was changed.");
    using rejects = new Rejects(this.#choices);
    await using store = await this.#openToRead();
    const { count, digest } = await this.#readAside(store, rejects);
    const earlier = await store?.findImport(digest);
    const isDone = isWhole(earlier) && !this.#choices.again;
    const skipped = isDone ? "" : await this.#reportBadRows(rejects);
    rejects.publish();
    const outcome = isDone
      ? this.#alreadyImported(earlier)
      : `Would import ${this.#kind.count(count)} into ${storeName}.`;
    await output.report(
      { ...this.#factsOf(rejects), dryRun: true, alreadyImported: isDone, [many]: isDone ? 0 : count },
      `${outcome}${skipped} Nothing was changed.`,
    );
  }

  async execute(): Promise<void> {
    const { many, needsStore } = this.#kind;
    const { output, storeName } = this.#command;
    const { again } = this.#choices;
    using interruption = new Interruption(`Nothing was imported into ${storeName}.`);
    await using store = await this.#command.open(needsStore ? "change" : "write");
    await using staging = await this.#kind.stage(store);
    using rejects = new Rejects(this.#choices);
    const rows = await this.#read(rejects, staging);
    const earlier = await store.findImport(rows.digest);
    if (isWhole(earlier) && !again) {
      // Orders that are there already make bad rows of themselves.
      return await output.report(
        { ...this.#factsOf(rejects), ...(needsStore && { bad: 0 }), alreadyImported: true, [many]: 0 },
        `${this.#alreadyImported(earlier)} Nothing was changed; add --again to import it again.`,
      );
    }
    const skipped = await this.#reportBadRows(rejects);
    const facts = this.#factsOf(rejects);
    const { firstId, lastId } = await this.#publish(staging, rows, interruption);
    const { count } = rows;
    const ids = count > 0 ? `, ${idRange(firstId, lastId)}` : "";
    rejects.publish();
    await output.report(
      { ...facts, alreadyImported: false, [many]: count, ...(count > 0 && { firstId, lastId }) },
      `Imported ${this.#kind.count(count)} into ${storeName}${ids}.${skipped}`,
    );
  }

  async #publish(
    staging: Staging<Item>,
    { count, digest, withIds }: RowsRead,
    interruption: Interruption,
  ): Promise<{ readonly firstId: bigint; readonly lastId: bigint }> {
    const { output, storeName } = this.#command;
    const { commitEvery, again } = this.#choices;
    const all = this.#kind.count(count);
    if (withIds && commitEvery < count) {
      throw new CommandFailure(
        "--commit-every requires new ids, since a service may give ids of the file to its own creates; add --ids new.",
        2,
      );
    }
    const atOnce = Math.min(commitEvery, count);
    if (atOnce > staging.smallBatch * MANY) {
      await output.explain(this.#adviseParts(atOnce, withIds, staging.smallBatch));
    }
    interruption.outcome =
      atOnce === count
        ? `Either all ${all} are in ${storeName}, or none: running the command again adds none twice.`
        : this.#partlyImported(0, count);
    using progress = output.progress("publish", this.#kind.many, count);
    const published = await staging
      .publish({
        digest: again ? undefined : digest,
        commitEvery,
        onProgress: (done) => {
          interruption.outcome = this.#partlyImported(done, count);
          progress.update(done);
        },
      })
      .catch((error) => {
        if (error instanceof NoLongerAgrees) throw noLongerAgrees(error);
        throw error instanceof IdsTaken ? this.#idsTaken(error) : error;
      });
    interruption.outcome = `All ${all} were imported into ${storeName}.`;
    await deliverSignals();
    return published;
  }

  /** Opens the store, if there is one; orders cannot be judged without. */
  async #openToRead(): Promise<BulkStore | undefined> {
    try {
      return await this.#command.open("read");
    } catch (error) {
      if (error instanceof MissingStore && !this.#kind.needsStore) return undefined;
      throw error;
    }
  }

  /** Reads the file without importing it. */
  async #readAside(store: BulkStore | undefined, rejects: Rejects): Promise<RowsRead> {
    if (store === undefined || !this.#kind.needsStore) return this.#read(rejects, { add: async () => [] });
    await using staging = await this.#kind.stage(store);
    return await this.#read(rejects, staging);
  }

  #read(rejects: Rejects, target: Pick<Staging<Item>, "add">): Promise<RowsRead> {
    return readRows(this.#kind, this.#choices, this.#command.output, rejects, (items) => target.add(items));
  }

  /** Shows the bad rows and fails unless they may be skipped; returns a sentence about the skipped rows. */
  async #reportBadRows(rejects: Rejects): Promise<string> {
    const { file, skipBad } = this.#choices;
    const bad = rejects.count;
    await rejects.show(this.#command.output);
    if (bad > 0 && skipBad === undefined) {
      throw new CommandFailure(
        `${counted(bad, "row")} of ${nameOf(file)} ${bad === 1 ? "is" : "are"} invalid; nothing was imported. ` +
          "Correct them, or write them to a file with --skip-bad FILE and import the others.",
      );
    }
    return bad > 0 ? ` ${written(bad)} bad ${bad === 1 ? "row is" : "rows are"} in ${skipBad}.` : "";
  }

  /** What every report of an import says. */
  #factsOf(rejects: Rejects) {
    const { file, skipBad = null } = this.#choices;
    return { store: this.#command.storeName, file, bad: rejects.count, badRowsIn: skipBad };
  }

  /** @param done how many are known to be stored; one more batch may be on its way */
  #partlyImported(done: number, count: number): string {
    const { storeName } = this.#command;
    const all = this.#kind.count(count);
    return done === count
      ? `All ${all} were imported into ${storeName}.`
      : `${written(done)} of ${all} are in ${storeName}; run the same command again to continue after them.`;
  }

  #alreadyImported({ total, finishedAt, firstId, lastId }: ImportRecord): string {
    return (
      `This content was already imported into ${this.#command.storeName} at ${rfc3339(finishedAt)}: ` +
      `${this.#kind.count(total)}, ${idRange(firstId, lastId)}.`
    );
  }

  /** @param withIds whether the file has ids: then batches are not possible */
  #adviseParts(count: number, withIds: boolean, smallBatch: number): string {
    const wait = `Publishing ${this.#kind.count(count)} at once; the creates of a running service wait meanwhile.`;
    return withIds || this.#kind.needsStore
      ? wait
      : `${wait} Next time --commit-every ${smallBatch} keeps each wait short.`;
  }

  #idsTaken({ lastId }: IdsTaken): CommandFailure {
    const others = this.#kind.needsStore ? "a store without orders" : "an empty store";
    return new CommandFailure(
      `${nameOf(this.#choices.file)} has ids of its own, and the store has already given ids up to ${lastId}; nothing was ` +
        `imported. Assign new ids with --ids new, or import into ${others}.`,
    );
  }
}

/** Whether an earlier import has stored all of its rows. */
function isWhole(earlier: ImportRecord | undefined): earlier is ImportRecord {
  return earlier !== undefined && earlier.done >= earlier.total;
}

function noLongerAgrees({ message }: NoLongerAgrees): CommandFailure {
  return new CommandFailure(
    `the store changed while the file was read, and a row contradicts it now: ${message}. Nothing was imported; run the ` +
      "same command again to see which row.",
  );
}
