import { closeSync, existsSync, openSync, statSync } from "node:fs";
import { constants, setPriority } from "node:os";
import { backupsOf } from "../stores/backups.ts";
import { animals, written } from "./animal-file.ts";
import { cannotWrite } from "./cannot-write.ts";
import { Draft } from "./draft.ts";
import { CommandFailure } from "./failure.ts";
import { explain } from "./print.ts";
import { startProgress } from "./progress.ts";
import { refuseStoreItself } from "./same-file.ts";
import { configOf } from "./settings-options.ts";

const POSTGRES =
  "a PostgreSQL store is backed up with PostgreSQL's own tools: " +
  "pg_dump --format=custom --schema=animal_store --file=FILE --dbname=URL. " +
  "Or copy it into a file of its own: animal-store copy --from URL --to sqlite:FILE.";

/** `animal-store backup FILE`: a copy of the store as it is at one moment, checked, while others use it. */
export async function backup(file: string, options: Record<string, unknown>): Promise<void> {
  const { config } = configOf(options);
  const backups = await backupsOf(config.DATABASE_URL, POSTGRES);
  refuseStoreItself(file, config.DATABASE_URL);
  if (existsSync(file) && options.force !== true) {
    throw new CommandFailure(`${file} exists already; name another file, or add --force to replace it.`);
  }
  letOthersGoFirst();
  using draft = new Draft(file);
  try {
    // It holds what keys are checked by, and the secret of cursors: for the owner alone.
    closeSync(openSync(draft.path, "w", 0o600));
    const { animals: count, lastAnimalId } = await copy(backups, draft.path);
    draft.publish();
    const megabytes = written(Math.ceil(statSync(file).size / 1e6));
    await explain(
      `Backed up ${animals(count)}, the last id being ${lastAnimalId}: ${megabytes} MB, checked.`,
    );
  } catch (error) {
    throw cannotWrite(file, error);
  }
}

/** The service goes first, where the system lets a program step back: a sandbox may forbid even that. */
function letOthersGoFirst(): void {
  try {
    setPriority(constants.priority.PRIORITY_BELOW_NORMAL);
  } catch {
    // Then both are served alike.
  }
}

async function copy(backups: Awaited<ReturnType<typeof backupsOf>>, path: string) {
  using progress = startProgress("backup", "MB", 1);
  return backups.backUp(path, (bytes, of) => progress.update(bytes / of, bytes / 1e6));
}
