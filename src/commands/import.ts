import { statSync } from "node:fs";
import { animals, idRange, parseCount, written } from "../cli/counts.ts";
import { CommandFailure } from "../cli/errors.ts";
import { formatOf } from "../cli/file-format.ts";
import { deliverSignals, Interruption } from "../cli/on-signal.ts";
import { configOf } from "../cli/options.ts";
import { Output } from "../cli/output.ts";
import { Rejects } from "../cli/rejects.ts";
import { reportWaiting } from "../cli/report-waiting.ts";
import { assertNotStore, isSameFile } from "../cli/same-file.ts";
import {
  type BulkStore,
  IdsTaken,
  type ImportRecord,
  type IncomingAnimal,
  type Staging,
} from "../domain/transfer.ts";
import { ID_CHOICES, type IdChoice, rowChecker } from "../formats/animal-row.ts";
import { CsvReader } from "../formats/csv-reader.ts";
import { type Format, UnreadableFile } from "../formats/format.ts";
import { elementsAsLines } from "../formats/json-array.ts";
import { NdjsonReader } from "../formats/ndjson-reader.ts";
import { readRecords } from "../formats/records.ts";
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
interface Run {
  readonly choices: Choices;
  /** The store's. */
  readonly url: string;
  readonly output: Output;
}

/** `animal-store import FILE|-`: reads and checks all of a file first, then makes it part of the stock. */
export async function importAnimals(file: string, options: Record<string, unknown>): Promise<void> {
  const { config } = configOf(options);
  const choices = readChoices(file, options);
  // Before a store is made for nothing.
  if (file !== "-") sizeOf(file);
  if (choices.skipBad !== undefined) assertRejectsElsewhere(choices.skipBad, file, config.DATABASE_URL);
  const run: Run = { choices, url: config.DATABASE_URL, output: new Output(options) };
  if (choices.dryRun) return tryOut(run);
  using interruption = new Interruption(`Nothing was imported into ${storeName(config.DATABASE_URL)}.`);
  const store = await openBulkStore(config.DATABASE_URL, "write", Date.now, reportWaiting(run.output));
  try {
    await using staging = await store.stage();
    await importInto(store, staging, run, interruption);
  } finally {
    await store.close();
  }
}

/** Reads and checks the file, and reports what importing it would do. */
async function tryOut(run: Run): Promise<void> {
  const { choices, url, output } = run;
  using _ = new Interruption("Nothing was changed.");
  using rejects = new Rejects(choices);
  const { count, digest } = await readFile(run, rejects, () => {});
  const skipped = await reportBadRows(run, rejects);
  const earlier = await findEarlier(run, digest);
  rejects.publish();
  const isDone = isWhole(earlier) && !choices.again;
  const store = storeName(url);
  const outcome = isDone ? alreadyImported(earlier, store) : `Would import ${animals(count)} into ${store}.`;
  await output.report(
    { ...factsOf(run, rejects), dryRun: true, alreadyImported: isDone, animals: isDone ? 0 : count },
    `${outcome}${skipped} Nothing was changed.`,
  );
}

/** What the store that a URL names knows of a file, if there is a store. */
async function findEarlier({ url, output }: Run, digest: string): Promise<ImportRecord | undefined> {
  try {
    const store = await openBulkStore(url, "read", Date.now, reportWaiting(output));
    return await store.findImport(digest).finally(() => store.close());
  } catch (error) {
    if (error instanceof MissingStore) return undefined;
    throw error;
  }
}

function isWhole(earlier: ImportRecord | undefined): earlier is ImportRecord {
  return earlier !== undefined && earlier.done >= earlier.total;
}

/** Shows the bad rows and fails unless they may be skipped; returns a sentence about the skipped rows. */
async function reportBadRows({ choices, output }: Run, rejects: Rejects): Promise<string> {
  const { file, skipBad } = choices;
  const bad = rejects.count;
  await rejects.show(output);
  if (bad > 0 && skipBad === undefined) {
    throw new CommandFailure(
      `${animals(bad).replace("animal", "row")} of ${named(file)} ${bad === 1 ? "is" : "are"} invalid; nothing was imported. ` +
        "Correct them, or write them to a file with --skip-bad FILE and import the others.",
    );
  }
  return bad > 0 ? ` ${written(bad)} bad ${bad === 1 ? "row is" : "rows are"} in ${skipBad}.` : "";
}

async function importInto(
  store: BulkStore,
  staging: Staging,
  run: Run,
  interruption: Interruption,
): Promise<void> {
  const { choices, output } = run;
  const { file, commitEvery, again } = choices;
  const name = storeName(run.url);
  using rejects = new Rejects(choices);
  const { count, digest, withIds } = await readFile(run, rejects, (chunk) => staging.add(chunk));
  const skipped = await reportBadRows(run, rejects);
  const facts = factsOf(run, rejects);
  const earlier = await store.findImport(digest);
  if (isWhole(earlier) && !again) {
    return output.report(
      { ...facts, alreadyImported: true, animals: 0 },
      `${alreadyImported(earlier, name)} Nothing was changed; add --again to import it again.`,
    );
  }
  if (withIds && commitEvery < count) {
    throw new CommandFailure(
      "--commit-every requires new ids, since a service may give ids of the file to its own creates; add --ids new.",
      2,
    );
  }
  const atOnce = Math.min(commitEvery, count);
  if (atOnce > staging.unnoticed * MANY) await output.explain(adviseParts(atOnce, withIds, staging));
  interruption.outcome =
    atOnce === count
      ? `Either all ${animals(count)} are in ${name}, or none: running the command again adds none twice.`
      : partlyImported(0, count, name);
  using progress = output.progress("publish", "animals", count);
  const published = await staging
    .publish({
      digest: again ? undefined : digest,
      commitEvery,
      onProgress: (done) => {
        interruption.outcome = partlyImported(done, count, name);
        progress.update(done);
      },
    })
    .catch((error) => {
      throw error instanceof IdsTaken ? idsTaken(file, error) : error;
    });
  interruption.outcome = `All ${animals(count)} were imported into ${name}.`;
  await deliverSignals();
  const { firstId, lastId } = published;
  const ids = count > 0 ? `, ${idRange(firstId, lastId)}` : "";
  progress[Symbol.dispose]();
  rejects.publish();
  await output.report(
    { ...facts, alreadyImported: false, animals: count, ...(count > 0 && { firstId, lastId }) },
    `Imported ${animals(count)} into ${name}${ids}.${skipped}`,
  );
}

interface ReadFile {
  readonly count: number;
  readonly withIds: boolean;
  /** SHA-256 of the file's bytes, in hexadecimal. */
  readonly digest: string;
}

/** Reads and checks a whole file. */
async function readFile(
  { choices: { file, format, ids }, output }: Run,
  rejects: Rejects,
  keep: (animals: readonly IncomingAnimal[]) => void | Promise<void>,
): Promise<ReadFile> {
  using progress = output.progress("read", "animals", file === "-" ? undefined : sizeOf(file));
  const hasher = new Bun.CryptoHasher("sha256");
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
  const check = rowChecker(ids);
  const reader = format === "csv" ? new CsvReader(check) : new NdjsonReader(check);
  try {
    for await (const { animals, bad } of readRecords(
      format === "json" ? elementsAsLines(bytes()) : bytes(),
      reader,
    )) {
      if (animals.length > 0) await keep(animals);
      for (const record of bad) rejects.add(record);
      withIds ||= animals[0]?.id !== undefined;
      count += animals.length;
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
function partlyImported(done: number, count: number, store: string): string {
  if (done === count) return `All ${animals(count)} were imported into ${store}.`;
  return `${written(done)} of ${animals(count)} are in ${store}; run the same command again to continue after them.`;
}

/** What every report of an import says. */
function factsOf({ choices: { file, skipBad }, url }: Run, rejects: Rejects) {
  return { store: storeName(url), file, bad: rejects.count, badRowsIn: skipBad ?? null };
}

function alreadyImported({ total, finishedAt, firstId, lastId }: ImportRecord, store: string): string {
  const at = new Date(finishedAt).toISOString();
  return `This content was already imported into ${store} at ${at}: ${animals(total)}, ${idRange(firstId, lastId)}.`;
}

/** @param withIds whether the file has ids: then batches are not possible */
function adviseParts(count: number, withIds: boolean, { unnoticed }: Staging): string {
  const wait = `Publishing ${animals(count)} at once; the creates of a running service wait meanwhile.`;
  return withIds ? wait : `${wait} Next time --commit-every ${unnoticed} keeps each wait short.`;
}

function idsTaken(file: string, { lastId }: IdsTaken): CommandFailure {
  return new CommandFailure(
    `${named(file)} has ids of its own, and the store has already given ids up to ${lastId}; nothing was imported. ` +
      "Assign new ids with --ids new, or import into an empty store.",
  );
}
