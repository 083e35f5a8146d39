import type { CommitObserver } from "../domain/observation.ts";
import type { Store } from "../domain/store.ts";
import { openEngine } from "./open-engine.ts";

/**
 * Opens the store that a URL names.
 *
 * @param clock milliseconds since 1970
 * @param observer who is told of each transaction of creates, if anyone
 * @throws UnusableStore when it cannot be used as it is; StoreFailure when it cannot be reached
 */
export function openStore(url: string, clock: () => number, observer?: CommitObserver): Promise<Store> {
  return openEngine<Store>(url, {
    async sqlite(file) {
      const { SqliteStore } = await import("./sqlite/store.ts");
      return new SqliteStore(file, clock, observer);
    },
    async postgres(url) {
      const { PostgresStore } = await import("./postgres/store.ts");
      return PostgresStore.open(url, clock, observer);
    },
  });
}
