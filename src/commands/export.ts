import { type FileHandle, open } from "node:fs/promises";
import type { Snapshot } from "../domain/transfer.ts";
import type { Format } from "../formats/format.ts";
import { headOf, writeAnimals } from "../formats/writers.ts";
import { openBulkStore } from "../stores/open-bulk.ts";
import { animals, formatOf } from "./animal-file.ts";
import { cannotWrite } from "./cannot-write.ts";
import { Draft } from "./draft.ts";
import { explain, print } from "./print.ts";
import { startProgress } from "./progress.ts";
import { reportWaiting } from "./report-waiting.ts";
import { refuseStoreItself } from "./same-file.ts";
import { configOf } from "./settings-options.ts";

type Write = (text: string) => Promise<unknown>;

/** `animal-store export [FILE|-]`: every animal, as the stock is at one moment. */
export async function exportAnimals(file: string, options: Record<string, unknown>): Promise<void> {
  const { config } = configOf(options);
  const format = formatOf(file, options.format as string | undefined);
  if (file !== "-") refuseStoreItself(file, config.DATABASE_URL);
  const store = await openBulkStore(config.DATABASE_URL, "read", Date.now, reportWaiting);
  try {
    await using snapshot = await store.snapshot();
    if (file === "-") await writeAll(snapshot, format, print);
    else await writeFile(file, (write) => writeAll(snapshot, format, write));
    await explain(`Exported ${animals(snapshot.count)}.`);
  } finally {
    await store.close();
  }
}

async function writeAll(snapshot: Snapshot, format: Format, write: Write): Promise<void> {
  using progress = startProgress("export", "animals", snapshot.count);
  await write(headOf(format));
  let done = 0;
  for await (const chunk of snapshot.animals()) {
    await write(writeAnimals(chunk, format));
    done += chunk.length;
    progress.update(done);
  }
}

async function writeFile(file: string, work: (write: Write) => Promise<void>): Promise<void> {
  using draft = new Draft(file);
  try {
    const handle: FileHandle = await open(draft.path, "w");
    try {
      await work((text) => handle.writeFile(text));
    } finally {
      await handle.close();
    }
    draft.publish();
  } catch (error) {
    throw cannotWrite(file, error);
  }
}
