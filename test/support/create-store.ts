import { tmpdir } from "node:os";
import { type TemporaryFolder, temporaryFolder } from "./folder.ts";
import { run } from "./program.ts";

/**
 * Makes an empty store. A process of its own does it: SQLite's connections stay open in a process that has closed them
 * until the runtime collects their statements, and a restore takes a store that is open for one in use.
 */
export async function createStore(url: string): Promise<void> {
  const { exitCode, stderr } = await run(["migrate", "--database", url], { cwd: tmpdir() });
  if (exitCode !== 0) throw new Error(`migrate failed: ${stderr}`);
}

/** A temporary folder with an empty store where the program looks for one by default. */
export async function folderWithStore(): Promise<TemporaryFolder> {
  const folder = temporaryFolder();
  await createStore(`sqlite:${folder.path}/data/animal-store.db`);
  return folder;
}
