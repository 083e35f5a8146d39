import type { CommitObserver } from "../domain/observation.ts";
import { openEngine } from "./open-engine.ts";
import type { OpenedStore, WriterElsewhere } from "./opened-store.ts";

/**
 * Opens the store that a URL names.
 *
 * @param clock milliseconds since 1970
 * @param observer who is told of each transaction of creates, if anyone
 * @param writer who writes for this process, where the engine takes writes of one at a time
 * @throws UnusableStore when it cannot be used as it is; StoreFailure when it cannot be reached
 */
export function openStore(
  url: string,
  clock: () => number,
  observer?: CommitObserver,
  writer?: WriterElsewhere,
): Promise<OpenedStore> {
  return openEngine<OpenedStore>(url, {
    async sqlite(file) {
      const { SqliteStore } = await import("./sqlite/store.ts");
      if (writer === undefined) return new SqliteStore(file, clock, observer);
      const { DistantWriter } = await import("./sqlite/distant-writer.ts");
      return new SqliteStore(file, clock, observer, new DistantWriter(writer));
    },
    async postgres(url) {
      const { PostgresStore } = await import("./postgres/store.ts");
      return PostgresStore.open(url, clock, observer);
    },
  });
}
