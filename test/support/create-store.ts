import { openStore } from "../../src/stores/open.ts";
import { type TemporaryFolder, temporaryFolder } from "./folder.ts";

/** Makes an empty store, as the first start of a service does. */
export async function createStore(url: string): Promise<void> {
  const store = await openStore(url, Date.now);
  await store.close();
}

/** A temporary folder with an empty store where the program looks for one by default. */
export async function folderWithStore(): Promise<TemporaryFolder> {
  const folder = temporaryFolder();
  await createStore(`sqlite:${folder.path}/data/animal-store.db`);
  return folder;
}
