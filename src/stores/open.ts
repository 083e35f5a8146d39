import { openEngine } from "./open-engine.ts";
import type { OpenedStore, OpenOptions } from "./opened-store.ts";

/**
 * Opens the store at a URL.
 *
 * @param clock milliseconds since 1970
 * @throws UnusableStore if the store cannot be used as it is; StoreFailure if it cannot be reached
 */
export function openStore(url: string, clock: () => number, options: OpenOptions = {}): Promise<OpenedStore> {
  return openEngine<OpenedStore>(url, {
    async sqlite(file) {
      const { commits, writer, access, kind, patient, emit = () => {} } = options;
      if (access === "existing") {
        const { assertStore } = await import("./sqlite/migrate.ts");
        assertStore(file);
      }
      const { SqliteStore } = await import("./sqlite/store.ts");
      if (writer === undefined) {
        return new SqliteStore(file, clock, commits, undefined, patient ? emit : undefined, kind);
      }
      const { RemoteWriter } = await import("./sqlite/writer/remote/remote-writer.ts");
      return new SqliteStore(file, clock, commits, new RemoteWriter(writer));
    },
    async postgres(url) {
      const { PostgresStore } = await import("./postgres/store.ts");
      return PostgresStore.open(url, clock, options);
    },
  });
}
