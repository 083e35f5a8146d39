import { closeSync, constants, fstatSync, openSync } from "node:fs";
import { open } from "node:fs/promises";
import { resolve } from "node:path";
import { formatOf } from "../cli/file-format.ts";
import { NO_PROGRESS, type Progress } from "../cli/progress.ts";
import { ANIMALS, ORDERS, type RowKind } from "../cli/row-kind.ts";
import { type Options, StoreCommand } from "../cli/store-command.ts";
import { withProgress } from "../cli/with-progress.ts";
import { type Snapshot, Stalled } from "../domain/transfer.ts";
import type { Format } from "../formats/format.ts";
import { RecordWriter } from "../formats/writer.ts";
import { AtomicFile, assertWritable } from "../process/atomic-file.ts";
import { CommandFailure, cannotWrite } from "../process/errors.ts";
import { Interruption } from "../process/on-signal.ts";
import { isOutputDiscarded } from "../process/standard-output.ts";
import { unlessStalled } from "./export/unless-stalled.ts";

type Write = (text: string) => Promise<unknown>;

/** `animal-store export [FILE|-]`: writes every animal, or every order, as the store is at one moment. */
export function exportFile(file: string, options: Options): Promise<void> {
  return options.orders === true ? exportKind(ORDERS, file, options) : exportKind(ANIMALS, file, options);
}

async function exportKind<Item, Incoming>(
  kind: RowKind<Item, Incoming>,
  file: string,
  options: Options,
): Promise<void> {
  const command = new StoreCommand(options);
  const { output, storeName } = command;
  const format = formatOf(file, options.format as string | undefined);
  if (file === "-" && options.json === true) {
    throw new CommandFailure("--json writes its report to standard output; name a file for the export.", 2);
  }
  const replace = options.force === true;
  if (file !== "-") assertWritable(file, { replace });
  else if (isOutputDiscarded()) {
    throw new CommandFailure(
      "standard output is closed or /dev/null, where the export would be lost. Send it to a file or a pipe.",
    );
  }
  const target = file === "-" ? "standard output" : file;
  using interruption = new Interruption(
    file === "-" ? "What was written to standard output is incomplete." : `${file} was not written.`,
  );
  await using store = await command.open("read");
  await using snapshot = await store.snapshot();
  const count = kind.countOf(snapshot);
  // A pipe may lead to the terminal on which the bar would stand: `| head`.
  const isShown = file !== "-" || fstatSync(process.stdout.fd).isFile();
  using progress = isShown ? output.progress("export", kind.many, count) : NO_PROGRESS;
  const work = (write: Write) =>
    writeAll(kind, snapshot, format, (text) => unlessStalled(write(text), target), progress);
  if (file === "-") await work((text) => output.print(text));
  else await writeFile(file, replace, work);
  progress[Symbol.dispose]();
  interruption.outcome = `${target} was written completely.`;
  await output.report(
    { store: storeName, file: resolve(file), format, [kind.many]: count },
    `Exported ${kind.count(count)} from ${storeName} to ${target}.`,
  );
}

async function writeAll<Item, Incoming>(
  kind: RowKind<Item, Incoming>,
  snapshot: Snapshot,
  format: Format,
  write: Write,
  progress: Progress,
): Promise<void> {
  const writer = new RecordWriter(kind.layout, format);
  await write(writer.begin());
  for await (const chunk of withProgress(kind.read(snapshot), progress)) await write(writer.write(chunk));
  await write(writer.end());
}

async function writeFile(
  file: string,
  replace: boolean,
  work: (write: Write) => Promise<void>,
): Promise<void> {
  using temporary = new AtomicFile(file, { replace });
  try {
    // An asynchronous open could still create the file after Ctrl+C has removed it.
    closeSync(openSync(temporary.path, "wx"));
    const handle = await open(temporary.path, constants.O_WRONLY | constants.O_NOFOLLOW);
    let stalled = false;
    try {
      await work((text) => handle.writeFile(text));
    } catch (error) {
      stalled = error instanceof Stalled;
      throw error;
    } finally {
      // Closing may hang too, if the file takes no more data.
      const closed = handle.close();
      if (stalled) closed.catch(() => {});
      else await closed;
    }
    temporary.publish();
  } catch (error) {
    throw cannotWrite(file, error);
  }
}
