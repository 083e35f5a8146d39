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
      const { openSqliteStore } = await import("./sqlite/store.ts");
      const sqliteOptions = { commits, kind, patient: patient ? emit : undefined };
      if (writer === undefined) return openSqliteStore(file, clock, sqliteOptions);
      const { RemoteWriter } = await import("./sqlite/writer/remote/remote-writer.ts");
      return openSqliteStore(file, clock, { ...sqliteOptions, writer: new RemoteWriter(writer) });
    },
    async postgres(url) {
      const { openPostgresStore } = await import("./postgres/store.ts");
      return openPostgresStore(url, clock, options);
    },
  });
}
