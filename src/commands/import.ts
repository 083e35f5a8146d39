import { statSync } from "node:fs";
import { counted, idRange, parseCount, written } from "../cli/counts.ts";
import { CommandFailure } from "../cli/errors.ts";
import { formatOf } from "../cli/file-format.ts";
import { deliverSignals, Interruption } from "../cli/on-signal.ts";
import { configOf } from "../cli/options.ts";
import { Output } from "../cli/output.ts";
import { Rejects } from "../cli/rejects.ts";
import { reportWaiting } from "../cli/report-waiting.ts";
import { ANIMALS, ORDERS, type RowKind } from "../cli/row-kind.ts";
import { assertNotStore, isSameFile } from "../cli/same-file.ts";
import {
  type BulkStore,
  IdsTaken,
  type ImportRecord,
  NoLongerAgrees,
  type RowProblem,
  type Staging,
} from "../domain/transfer.ts";
import { CsvReader } from "../formats/csv-reader.ts";
import { type Format, UnreadableFile } from "../formats/format.ts";
import { elementsAsLines } from "../formats/json-array.ts";
import { NdjsonReader } from "../formats/ndjson-reader.ts";
import { readRecords } from "../formats/records.ts";
import { ID_CHOICES, type IdChoice } from "../formats/row-ids.ts";
import { MissingStore } from "../stores/errors.ts";
import { openBulkStore } from "../stores/open-bulk.ts";
import { storeName } from "../stores/url.ts";

/** A batch this many times larger than an unnoticeable one may make creates of a running service fail. */
const MANY = 10;

interface Choices {
  readonly file: string;
  readonly format: Format;
  readonly ids: IdChoice;
  readonly dryRun: boolean;
  readonly skipBad: string | undefined;
  /** Whether the file for bad rows may exist already. */
  readonly force: boolean;
  readonly commitEvery: number;
  readonly again: boolean;
}

/** One run of the command. */
interface Run<Item> {
  readonly kind: RowKind<unknown, Item>;
  readonly choices: Choices;
  /** The store's. */
  readonly url: string;
  readonly output: Output;
}

/** `animal-store import FILE|-`: reads and checks all of a file first, then makes it part of the stock. */
export function importFile(file: string, options: Record<string, unknown>): Promise<void> {
  return options.orders === true ? importKind(ORDERS, file, options) : importKind(ANIMALS, file, options);
}

async function importKind<Item>(
  kind: RowKind<unknown, Item>,
  file: string,
  options: Record<string, unknown>,
): Promise<void> {
  const { config } = configOf(options);
  const choices = readChoices(file, options);
  // Before a store is made for nothing.
  if (file !== "-") sizeOf(file);
  if (choices.skipBad !== undefined) assertRejectsElsewhere(choices.skipBad, file, config.DATABASE_URL);
  const run: Run<Item> = { kind, choices, url: config.DATABASE_URL, output: new Output(options) };
  if (choices.dryRun) return tryOut(run);
  using interruption = new Interruption(`Nothing was imported into ${storeName(config.DATABASE_URL)}.`);
  const access = kind.needsStore ? "change" : "write";
  const store = await openBulkStore(config.DATABASE_URL, access, Date.now, reportWaiting(run.output));
  try {
    await using staging = await kind.stage(store);
    await importInto(store, staging, run, interruption);
  } finally {
    await store.close();
  }
}

/** Reads and checks the file, and reports what importing it would do. */
async function tryOut<Item>(run: Run<Item>): Promise<void> {
  const { kind, choices, url, output } = run;
  using _ = new Interruption("Nothing was changed.");
  using rejects = new Rejects(choices);
  const store = await openToRead(run);
  try {
    const { count, digest } = await readAside(run, store, rejects);
    const earlier = await store?.findImport(digest);
    const isDone = isWhole(earlier) && !choices.again;
    const skipped = isDone ? "" : await reportBadRows(run, rejects);
    rejects.publish();
    const name = storeName(url);
    const outcome = isDone
      ? alreadyImported(kind, earlier, name)
      : `Would import ${kind.count(count)} into ${name}.`;
    await output.report(
      { ...factsOf(run, rejects), dryRun: true, alreadyImported: isDone, [kind.many]: isDone ? 0 : count },
      `${outcome}${skipped} Nothing was changed.`,
    );
  } finally {
    await store?.close();
  }
}

/** Opens the store, if there is one; orders cannot be judged without. */
async function openToRead<Item>({ kind, url, output }: Run<Item>): Promise<BulkStore | undefined> {
  try {
    return await openBulkStore(url, "read", Date.now, reportWaiting(output));
  } catch (error) {
    if (error instanceof MissingStore && !kind.needsStore) return undefined;
    throw error;
  }
}

/** Reads a file without importing it. */
async function readAside<Item>(
  run: Run<Item>,
  store: BulkStore | undefined,
  rejects: Rejects,
): Promise<ReadFile> {
  if (store === undefined || !run.kind.needsStore) return readFile(run, rejects, async () => []);
  await using staging = await run.kind.stage(store);
  return await readFile(run, rejects, (chunk) => staging.add(chunk));
}

function isWhole(earlier: ImportRecord | undefined): earlier is ImportRecord {
  return earlier !== undefined && earlier.done >= earlier.total;
}

/** Shows the bad rows and fails unless they may be skipped; returns a sentence about the skipped rows. */
async function reportBadRows<Item>({ choices, output }: Run<Item>, rejects: Rejects): Promise<string> {
  const { file, skipBad } = choices;
  const bad = rejects.count;
  await rejects.show(output);
  if (bad > 0 && skipBad === undefined) {
    throw new CommandFailure(
      `${counted(bad, "row")} of ${named(file)} ${bad === 1 ? "is" : "are"} invalid; nothing was imported. ` +
        "Correct them, or write them to a file with --skip-bad FILE and import the others.",
    );
  }
  return bad > 0 ? ` ${written(bad)} bad ${bad === 1 ? "row is" : "rows are"} in ${skipBad}.` : "";
}

async function importInto<Item>(
  store: BulkStore,
  staging: Staging<Item>,
  run: Run<Item>,
  interruption: Interruption,
): Promise<void> {
  const { kind, choices, output } = run;
  const { file, commitEvery, again } = choices;
  const name = storeName(run.url);
  using rejects = new Rejects(choices);
  const { count, digest, withIds } = await readFile(run, rejects, (chunk) => staging.add(chunk));
  const earlier = await store.findImport(digest);
  if (isWhole(earlier) && !again) {
    // Orders that are there already make bad rows of themselves.
    return output.report(
      { ...factsOf(run, rejects), ...(kind.needsStore && { bad: 0 }), alreadyImported: true, [kind.many]: 0 },
      `${alreadyImported(kind, earlier, name)} Nothing was changed; add --again to import it again.`,
    );
  }
  const skipped = await reportBadRows(run, rejects);
  const facts = factsOf(run, rejects);
  if (withIds && commitEvery < count) {
    throw new CommandFailure(
      "--commit-every requires new ids, since a service may give ids of the file to its own creates; add --ids new.",
      2,
    );
  }
  const atOnce = Math.min(commitEvery, count);
  if (atOnce > staging.smallBatch * MANY) await output.explain(adviseParts(kind, atOnce, withIds, staging));
  interruption.outcome =
    atOnce === count
      ? `Either all ${kind.count(count)} are in ${name}, or none: running the command again adds none twice.`
      : partlyImported(kind, 0, count, name);
  using progress = output.progress("publish", kind.many, count);
  const published = await staging
    .publish({
      digest: again ? undefined : digest,
      commitEvery,
      onProgress: (done) => {
        interruption.outcome = partlyImported(kind, done, count, name);
        progress.update(done);
      },
    })
    .catch((error) => {
      if (error instanceof NoLongerAgrees) throw noLongerAgrees(error);
      throw error instanceof IdsTaken ? idsTaken(kind, file, error) : error;
    });
  interruption.outcome = `All ${kind.count(count)} were imported into ${name}.`;
  await deliverSignals();
  const { firstId, lastId } = published;
  const ids = count > 0 ? `, ${idRange(firstId, lastId)}` : "";
  progress[Symbol.dispose]();
  rejects.publish();
  await output.report(
    { ...facts, alreadyImported: false, [kind.many]: count, ...(count > 0 && { firstId, lastId }) },
    `Imported ${kind.count(count)} into ${name}${ids}.${skipped}`,
  );
}

interface ReadFile {
  readonly count: number;
  readonly withIds: boolean;
  /** SHA-256 of the file's bytes, in hexadecimal. */
  readonly digest: string;
}

/** Reads and checks a whole file. */
async function readFile<Item>(
  { kind, choices: { file, format, ids }, output }: Run<Item>,
  rejects: Rejects,
  keep: (items: readonly Item[]) => Promise<readonly RowProblem[]>,
): Promise<ReadFile> {
  using progress = output.progress("read", kind.many, file === "-" ? undefined : sizeOf(file));
  const hasher = new Bun.CryptoHasher("sha256");
  // Without animals and without orders, files are alike.
  if (kind.many !== "animals") hasher.update(kind.many);
  let bytesRead = 0;
  let count = 0;
  let withIds = false;
  async function* bytes(): AsyncGenerator<Uint8Array> {
    for await (const chunk of file === "-" ? Bun.stdin.stream() : Bun.file(file).stream()) {
      hasher.update(chunk);
      bytesRead += chunk.length;
      yield chunk;
    }
  }
  const check = kind.check(ids);
  const reader =
    format === "csv"
      ? new CsvReader(kind.layout.columns, check)
      : new NdjsonReader(kind.layout.columns, check);
  try {
    for await (const records of readRecords(format === "json" ? elementsAsLines(bytes()) : bytes(), reader)) {
      const { items } = records;
      const problems = items.length > 0 ? await keep(items) : [];
      const bad = problems.map(({ index, problem }) => records.badRecordOf(index, problem));
      for (const record of [...records.bad, ...bad].sort((one, other) => one.line - other.line)) {
        rejects.add(record);
      }
      withIds ||= (items[0] as { id?: bigint } | undefined)?.id !== undefined;
      count += items.length - problems.length;
      progress.update(file === "-" ? count : bytesRead, count);
      await deliverSignals();
    }
  } catch (error) {
    throw error instanceof UnreadableFile ? new CommandFailure(`${named(file)} ${error.message}.`) : error;
  }
  return { count, withIds, digest: hasher.digest("hex") };
}

function sizeOf(file: string): number {
  try {
    const stat = statSync(file);
    if (stat.isDirectory()) throw new Error("it is a folder");
    return stat.size;
  } catch (error) {
    throw new CommandFailure(`cannot read ${file}: ${(error as Error).message}.`, 1, { cause: error });
  }
}

function assertRejectsElsewhere(skipBad: string, file: string, url: string): void {
  assertNotStore(skipBad, url);
  if (isSameFile(skipBad, file)) {
    throw new CommandFailure(`${skipBad} is the imported file itself; name another file for its bad rows.`);
  }
}

function readChoices(file: string, options: Record<string, unknown>): Choices {
  const ids = (options.ids as string | undefined) ?? "keep";
  const choice = ID_CHOICES.find((choice) => choice === ids);
  if (choice === undefined) {
    throw new CommandFailure(`--ids is ${JSON.stringify(ids)}; it must be ${ID_CHOICES.join(" or ")}.`, 2);
  }
  const commitEvery = options.commitEvery as string | undefined;
  if (commitEvery !== undefined && options.orders === true) {
    throw new CommandFailure("--commit-every is for animals; orders are imported in one transaction.", 2);
  }
  return {
    file,
    format: formatOf(file, options.format as string | undefined),
    ids: choice,
    dryRun: options.dryRun === true,
    skipBad: options.skipBad as string | undefined,
    commitEvery:
      commitEvery === undefined ? Number.MAX_SAFE_INTEGER : parseCount(commitEvery, "--commit-every"),
    again: options.again === true,
    force: options.force === true,
  };
}

function named(file: string): string {
  return file === "-" ? "standard input" : file;
}

/** @param done how many are known to be stored; one more batch may be on its way */
function partlyImported<Item>(
  kind: RowKind<unknown, Item>,
  done: number,
  count: number,
  store: string,
): string {
  if (done === count) return `All ${kind.count(count)} were imported into ${store}.`;
  return `${written(done)} of ${kind.count(count)} are in ${store}; run the same command again to continue after them.`;
}

/** What every report of an import says. */
function factsOf<Item>({ choices: { file, skipBad }, url }: Run<Item>, rejects: Rejects) {
  return { store: storeName(url), file, bad: rejects.count, badRowsIn: skipBad ?? null };
}

function alreadyImported<Item>(
  kind: RowKind<unknown, Item>,
  { total, finishedAt, firstId, lastId }: ImportRecord,
  store: string,
): string {
  const at = new Date(finishedAt).toISOString();
  return `This content was already imported into ${store} at ${at}: ${kind.count(total)}, ${idRange(firstId, lastId)}.`;
}

/** @param withIds whether the file has ids: then batches are not possible */
function adviseParts<Item>(
  kind: RowKind<unknown, Item>,
  count: number,
  withIds: boolean,
  { smallBatch }: Staging<Item>,
): string {
  const wait = `Publishing ${kind.count(count)} at once; the creates of a running service wait meanwhile.`;
  return withIds || kind.needsStore
    ? wait
    : `${wait} Next time --commit-every ${smallBatch} keeps each wait short.`;
}

function idsTaken<Item>(kind: RowKind<unknown, Item>, file: string, { lastId }: IdsTaken): CommandFailure {
  const others = kind.needsStore ? "a store without orders" : "an empty store";
  return new CommandFailure(
    `${named(file)} has ids of its own, and the store has already given ids up to ${lastId}; nothing was imported. ` +
      `Assign new ids with --ids new, or import into ${others}.`,
  );
}

function noLongerAgrees({ message }: NoLongerAgrees): CommandFailure {
  return new CommandFailure(
    `the store changed while the file was read, and a row contradicts it now: ${message}. Nothing was imported; run the ` +
      "same command again to see which row.",
  );
}
