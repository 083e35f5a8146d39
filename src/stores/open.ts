import type { Store } from "../domain/store.ts";
import { SqliteStore } from "./sqlite/store.ts";
import { UnusableStore } from "./unusable-store.ts";

const SQLITE = "sqlite:";

/**
 * Opens the store that a URL names: `sqlite:./relative/path` (from the current folder) or
 * `sqlite:/absolute/path`.
 *
 * @param clock milliseconds since 1970
 * @throws UnusableStore when it cannot be used as it is
 */
export async function openStore(url: string, clock: () => number): Promise<Store> {
  try {
    return new SqliteStore(url.slice(SQLITE.length), clock);
  } catch (error) {
    if (error instanceof UnusableStore) throw error;
    throw new UnusableStore(`cannot open ${url}: ${(error as Error).message}`, { cause: error });
  }
}
