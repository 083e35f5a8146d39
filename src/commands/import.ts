import { counted, idRange, written } from "../cli/counts.ts";
import { ANIMALS, ORDERS } from "../cli/row-kind.ts";
import { type Options, StoreCommand } from "../cli/store-command.ts";
import { rfc3339 } from "../domain/time.ts";
import type { BulkStore, ImportRecord, Staging } from "../domain/transfer.ts";
import { CommandFailure } from "../process/errors.ts";
import { Interruption } from "../process/on-signal.ts";
import { MissingStore } from "../stores/errors.ts";
import { readImportChoices } from "./import/choices.ts";
import { explainTaken, type Import, publishRows } from "./import/publish.ts";
import { nameOf, type RowsRead, readRows, sizeOf } from "./import/read-rows.ts";
import { Rejects } from "./import/rejects.ts";

/** `animal-store import FILE|-`: reads and checks all of a file first, then makes it part of the stock. */
export async function importFile(file: string, options: Options): Promise<void> {
  const command = new StoreCommand(options);
  const choices = readImportChoices(file, options);
  // A file that cannot be read must not leave an empty store behind.
  if (file !== "-") sizeOf(file);
  if (options.orders === true) await run({ kind: ORDERS, command, choices });
  else await run({ kind: ANIMALS, command, choices });
}

function run<Item>(task: Import<Item>): Promise<void> {
  return task.choices.dryRun ? tryOut(task) : execute(task);
}

/** Reads and checks the file, and reports what importing it would do. */
async function tryOut<Item>(task: Import<Item>): Promise<void> {
  const { kind, command, choices } = task;
  const { output, storeName } = command;
  using _ = new Interruption("Nothing was changed.");
  using rejects = new Rejects(choices);
  await using store = await openToRead(task);
  await using staging = store && (await kind.stage(store));
  const { count, digest } = await read(task, rejects, staging ?? { add: async () => [] });
  const earlier = await store?.findImport(digest);
  const isDone = isWhole(earlier) && !choices.again;
  const skipped = isDone ? "" : await reportBadRows(task, rejects);
  if (!isDone) {
    await staging?.assertFree().catch((error) => {
      throw explainTaken(error, choices.file, kind.needsStore);
    });
  }
  rejects.publish("Nothing was changed.");
  const outcome = isDone
    ? alreadyImported(task, earlier)
    : `Would import ${kind.count(count)} into ${storeName}.`;
  await output.report(
    { ...factsOf(task, rejects), dryRun: true, alreadyImported: isDone, [kind.many]: isDone ? 0 : count },
    `${outcome}${skipped} Nothing was changed.`,
  );
}

async function execute<Item>(task: Import<Item>): Promise<void> {
  const { kind, command, choices } = task;
  const { output, storeName } = command;
  const { many, needsStore } = kind;
  using interruption = new Interruption(`Nothing was imported into ${storeName}.`);
  await using store = await command.open(needsStore ? "change" : "write");
  await using staging = await kind.stage(store);
  using rejects = new Rejects(choices);
  const rows = await read(task, rejects, staging);
  const earlier = await store.findImport(rows.digest);
  if (isWhole(earlier) && !choices.again) {
    // The orders are stored already, and that alone makes their rows bad.
    return await output.report(
      { ...factsOf(task, rejects), ...(needsStore && { bad: 0 }), alreadyImported: true, [many]: 0 },
      `${alreadyImported(task, earlier)} Nothing was changed; add --again to import it again.`,
    );
  }
  const skipped = await reportBadRows(task, rejects);
  const facts = factsOf(task, rejects);
  const { firstId, lastId } = await publishRows(task, staging, rows, interruption);
  const { count } = rows;
  const ids = count > 0 ? `, ${idRange(firstId, lastId)}` : "";
  rejects.publish(interruption.outcome);
  await output.report(
    { ...facts, alreadyImported: false, [many]: count, ...(count > 0 && { firstId, lastId }) },
    `Imported ${kind.count(count)} into ${storeName}${ids}.${skipped}`,
  );
}

/** Opens the store if there is one. Orders cannot be judged without it. */
async function openToRead<Item>({ kind, command }: Import<Item>): Promise<BulkStore | undefined> {
  try {
    return await command.open("read");
  } catch (error) {
    if (error instanceof MissingStore && !kind.needsStore) return undefined;
    throw error;
  }
}

function read<Item>(
  { kind, command, choices }: Import<Item>,
  rejects: Rejects,
  target: Pick<Staging<Item>, "add">,
): Promise<RowsRead> {
  return readRows(kind, choices, command.output, rejects, (items) => target.add(items)).catch((error) => {
    throw explainTaken(error, choices.file, kind.needsStore);
  });
}

/** Shows the bad rows and fails unless they may be skipped; returns a sentence about the skipped rows. */
async function reportBadRows<Item>({ command, choices }: Import<Item>, rejects: Rejects): Promise<string> {
  const { file, skipBad } = choices;
  const bad = rejects.count;
  await rejects.show(command.output);
  if (bad > 0 && skipBad === undefined) {
    const [are, them] = bad === 1 ? ["is", "it"] : ["are", "them"];
    throw new CommandFailure(
      `${counted(bad, "row")} of ${nameOf(file)} ${are} invalid; nothing was imported. ` +
        `Correct ${them}, or write ${them} to a file with --skip-bad FILE and import the others.`,
    );
  }
  return bad > 0 ? ` ${written(bad)} bad ${bad === 1 ? "row is" : "rows are"} in ${skipBad}.` : "";
}

/** What every report of an import says. */
function factsOf<Item>({ command, choices }: Import<Item>, rejects: Rejects) {
  const { file, skipBad = null } = choices;
  return { store: command.storeName, file, bad: rejects.count, badRowsIn: skipBad };
}

function alreadyImported<Item>(
  { kind, command }: Import<Item>,
  { total, finishedAt, firstId, lastId }: ImportRecord,
): string {
  return (
    `This content was already imported into ${command.storeName} at ${rfc3339(finishedAt)}: ` +
    `${kind.count(total)}, ${idRange(firstId, lastId)}.`
  );
}

/** Whether an earlier import has stored all of its rows. */
function isWhole(earlier: ImportRecord | undefined): earlier is ImportRecord {
  return earlier !== undefined && earlier.done >= earlier.total;
}
