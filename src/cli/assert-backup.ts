import { CommandFailure, cannotRead } from "../process/errors.ts";
import { inspectBackup } from "../stores/backups.ts";
import { findFile } from "../stores/find-file.ts";

/**
 * Asserts that a name leads to a backup that can be restored, as far as its header tells.
 *
 * @throws CommandFailure or UnusableStore
 */
export async function assertBackup(file: string): Promise<void> {
  try {
    const found = findFile(file);
    if (found === undefined) throw new CommandFailure(`there is no file ${file}; name a backup.`);
    if (!found.isFile()) throw new CommandFailure(`${file} is not a file; name a backup.`);
    await inspectBackup(file);
  } catch (error) {
    throw cannotRead(file, error);
  }
}
