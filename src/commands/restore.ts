import { existsSync, mkdirSync } from "node:fs";
import { open } from "node:fs/promises";
import { dirname, resolve } from "node:path";
import { assertBackup } from "../cli/assert-backup.ts";
import { animals, counted, written } from "../cli/counts.ts";
import type { Output } from "../cli/output.ts";
import { type Options, StoreCommand } from "../cli/store-command.ts";
import { parsePositiveInt64 } from "../domain/int64.ts";
import { IMPORTED_ID_MAX } from "../domain/transfer.ts";
import { AtomicFile, sync } from "../process/atomic-file.ts";
import { CommandFailure, cannotWrite, wrongValue } from "../process/errors.ts";
import { Interruption } from "../process/on-signal.ts";
import { isSameFile } from "../process/same-file.ts";
import { type Backups, backupsOf, checkBackup } from "../stores/backups.ts";

const POSTGRES =
  "restore a PostgreSQL store with PostgreSQL's own tools: pg_restore --single-transaction --dbname=URL FILE. " +
  "docs/data.md explains how to keep new ids above all ids that were given since.";

type Outcome = ReturnType<Backups["restore"]>;
type BackupContents = Awaited<ReturnType<typeof checkBackup>>;

/** `animal-store restore FILE`: replaces the store, which no other process may have open, by a backup. */
export async function restore(file: string, options: Options): Promise<void> {
  const { config, output, storeName } = new StoreCommand(options);
  const idsFrom = readIdsFrom(options.idsFrom as string | undefined);
  const backups = await backupsOf(config.DATABASE_URL, POSTGRES);
  const { store } = backups;
  await assertRestorable(file, store, options.force === true);
  using interruption = new Interruption(`${storeName} is unchanged.`);
  try {
    mkdirSync(dirname(store), { recursive: true, mode: 0o700 });
    using temporary = new AtomicFile(store, { replace: true, isStore: true });
    await copy(file, temporary.path, output);
    const contents = await checkBackup(temporary.path, file);
    const replacedPath = `${store}.replaced-${new Date().toISOString().replaceAll(":", "-")}`;
    const outcome = backups.restore({ temporary: temporary.path, backup: file, replacedPath, idsFrom, sync });
    sync(dirname(store));
    interruption.outcome = `${storeName} was restored from ${file}.`;
    const { animals, orders } = contents;
    const { nextAnimalId, nextOrderId, replacedPath: replaced, keys } = outcome;
    await output.report(
      {
        store: resolve(store),
        file: resolve(file),
        animals,
        nextAnimalId,
        orders,
        nextOrderId,
        keys,
        replaced,
      },
      describe(file, store, contents, outcome).join("\n"),
    );
  } catch (error) {
    throw cannotWrite(store, error);
  }
}

async function assertRestorable(file: string, store: string, force: boolean): Promise<void> {
  if (isSameFile(file, store)) {
    throw new CommandFailure(`${file} is the store itself; name a backup of it.`);
  }
  await assertBackup(file);
  if (!existsSync(store)) return;
  if (!force) {
    throw new CommandFailure(
      `there is already a store ${store}; add --force to replace it. It is kept beside the restored one.`,
    );
  }
}

async function copy(from: string, to: string, output: Output): Promise<void> {
  await using source = await open(from, "r");
  await using target = await open(to, "wx", 0o600);
  const { size } = await source.stat();
  using progress = output.progress("copy", "MB", size);
  const buffer = Buffer.alloc(1024 * 1024);
  for (let done = 0; ; ) {
    const { bytesRead } = await source.read(buffer, 0, buffer.length, done);
    if (bytesRead === 0) return;
    await target.writeFile(buffer.subarray(0, bytesRead));
    done += bytesRead;
    progress.update(done, done / 1e6);
  }
}

function describe(
  file: string,
  store: string,
  contents: BackupContents,
  { nextAnimalId, nextOrderId, replacedPath, keys }: Outcome,
): string[] {
  const lines = [
    `Restored ${animals(contents.animals)} and ${counted(contents.orders, "order")} from ${file} to ${resolve(store)}; ` +
      `the next ids are ${nextAnimalId} for animals and ${nextOrderId} for orders.`,
  ];
  if (keys === undefined) {
    lines.push(
      "Keys are as in the backup: keys that were revoked since are VALID AGAIN, and keys that were made since are unknown. " +
        "Review `animal-store keys list`, then revoke and make them again.",
    );
  } else {
    lines.push(
      `Keys are as in the replaced store: keys created since the backup still work (${written(keys.kept)}), ` +
        `keys revoked or expired since stay so (${written(keys.ended)}).`,
    );
  }
  if (replacedPath !== undefined)
    lines.push(`The replaced store is ${replacedPath}; delete it when it is no longer needed.`);
  return lines;
}

function readIdsFrom(text: string | undefined): bigint | undefined {
  if (text === undefined) return undefined;
  const id = parsePositiveInt64(text);
  if (id !== undefined && id <= IMPORTED_ID_MAX) return id;
  throw wrongValue("--ids-from", text, `be a whole number from 1 to ${IMPORTED_ID_MAX}`);
}
