import { closeSync, openSync, statSync } from "node:fs";
import { constants, setPriority } from "node:os";
import { resolve } from "node:path";
import { assertBackup } from "../cli/assert-backup.ts";
import { animals, counted, written } from "../cli/counts.ts";
import { Output } from "../cli/output.ts";
import { type Options, StoreCommand } from "../cli/store-command.ts";
import { AtomicFile } from "../process/atomic-file.ts";
import { CommandFailure, cannotWrite } from "../process/errors.ts";
import { Interruption } from "../process/on-signal.ts";
import { backupsOf, checkBackup } from "../stores/backups.ts";

const POSTGRES =
  "back up a PostgreSQL store with PostgreSQL's own tools: " +
  "pg_dump --format=custom --schema=animal_store --file=FILE --dbname=URL. " +
  "Or copy it into an SQLite file: animal-store copy --from URL --to sqlite:FILE.";

/** `animal-store backup --check FILE`: whether a backup can be restored, what is in it, and when it was made. */
export async function checkBackupFile(file: string, options: Options): Promise<void> {
  await assertBackup(file);
  const contents = await checkBackup(file, file);
  const { schemaVersion, identity, madeAt } = contents;
  const made = madeAt === undefined ? "at an unknown time" : `at ${madeAt}`;
  const store = identity === undefined ? "a store without an identity" : `store ${identity}`;
  await new Output(options).answer(
    { file: resolve(file), ...contents, identity: identity ?? null, madeAt: madeAt ?? null },
    `${file} can be restored. It was made ${made} from ${store}, with schema version ${schemaVersion}. It holds ` +
      `${animals(contents.animals)} (last id ${contents.lastAnimalId}), ${counted(contents.orders, "order")} ` +
      `(last id ${contents.lastOrderId}) and ${counted(contents.keys, "API key")}.\n`,
  );
}

/** `animal-store backup FILE`: copies the store as it is at one moment, while others use it, and checks the copy. */
export async function backup(file: string, options: Options): Promise<void> {
  if (file === "-") {
    throw new CommandFailure(
      "a backup is checked under its name, so it cannot go to standard output; name a file.",
      2,
    );
  }
  const { config, output, storeName } = new StoreCommand(options);
  using interruption = new Interruption(`${file} was not written.`);
  const backups = await backupsOf(config.DATABASE_URL, POSTGRES);
  using temporary = new AtomicFile(file, { replace: options.force === true });
  lowerPriority();
  try {
    // A backup contains key hashes and the secret of cursors, so only its owner may read it.
    closeSync(openSync(temporary.path, "wx", 0o600));
    const contents = await copy(backups, temporary.path, output);
    temporary.publish();
    backups.assertHolds(file, contents);
    interruption.outcome = `${file} was written.`;
    const bytes = statSync(file).size;
    await output.report(
      { store: storeName, file: resolve(file), ...contents, bytes },
      `Backed up ${animals(contents.animals)} (last id ${contents.lastAnimalId}) and ` +
        `${counted(contents.orders, "order")} (last id ${contents.lastOrderId}) of ${storeName}` +
        `${contents.identity === undefined ? "" : ` (store ${contents.identity})`}: ` +
        `${written(Math.ceil(bytes / 1e6))} MB in ${file}, checked.`,
    );
  } catch (error) {
    throw cannotWrite(file, error);
  }
}

/** Gives the service priority over this command. */
function lowerPriority(): void {
  try {
    setPriority(constants.priority.PRIORITY_BELOW_NORMAL);
  } catch {
    // A sandbox may forbid it; the backup then runs at normal priority.
  }
}

async function copy(backups: Awaited<ReturnType<typeof backupsOf>>, path: string, output: Output) {
  using progress = output.progress("backup", "MB", 1);
  return await backups.backUp(path, (bytes, of) => progress.update(bytes / of, bytes / 1e6));
}
