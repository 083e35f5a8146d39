import { StoreFailure } from "../domain/failure.ts";
import type { BulkAccess, BulkStore } from "../domain/transfer.ts";
import type { ObservationSink } from "../observations/observation.ts";
import { closeOnFailure } from "./close-on-failure.ts";
import { UnusableStore } from "./errors.ts";
import type { OpenedStore, OpenOptions } from "./opened-store.ts";
import { whyUnusable } from "./sqlite/missing-rights.ts";
import type { StoreSchema } from "./store-schema.ts";
import { fileOfStore } from "./url.ts";

// Each function opens the store at a URL: `sqlite:./relative/path` (from the current folder), `sqlite:/absolute/path`, or
// `postgres://user:password@host:port/database`. It loads only the engine that the URL names. It throws an `UnusableStore`
// if the store cannot be used as it is, and a `StoreFailure` if it cannot be reached.

/**
 * Opens a store for a service.
 *
 * @param clock milliseconds since 1970
 */
export function openStore(url: string, clock: () => number, options: OpenOptions = {}): Promise<OpenedStore> {
  return openEngine<OpenedStore>(url, {
    async sqlite(file) {
      const { commits, writer, access, kind, patient, emit = () => {} } = options;
      if (access === "existing") (await import("./sqlite/migrate.ts")).assertStore(file);
      const { openSqliteStore } = await import("./sqlite/store.ts");
      const sqliteOptions = { commits, kind, patient: patient ? emit : undefined };
      if (writer === undefined) return openSqliteStore(file, clock, sqliteOptions);
      const { RemoteWriter } = await import("./sqlite/writer/remote/remote-writer.ts");
      const remote = new RemoteWriter(writer);
      return closeOnFailure(remote, () => openSqliteStore(file, clock, { ...sqliteOptions, writer: remote }));
    },
    postgres: async () => (await import("./postgres/store.ts")).openPostgresStore(url, clock, options),
  });
}

/**
 * Opens a store for a command that reads, moves or corrects many animals.
 *
 * @param clock milliseconds since 1970
 * @param emit receives an event if the work has to wait for others
 */
export function openBulkStore(
  url: string,
  access: BulkAccess,
  clock: () => number,
  emit: ObservationSink = () => {},
): Promise<BulkStore> {
  return openEngine<BulkStore>(url, {
    sqlite: async (file) =>
      (await import("./sqlite/bulk/bulk-store.ts")).openSqliteBulkStore(file, access, clock, emit),
    postgres: async () =>
      (await import("./postgres/bulk/bulk-store.ts")).openPostgresBulkStore(url, access, clock, emit),
  });
}

/**
 * Reads the schema version of a store. It changes nothing until `migrate` is called.
 *
 * @param emit receives an event if a migration has to wait for others
 */
export function openSchema(url: string, emit: ObservationSink): Promise<StoreSchema> {
  return openEngine<StoreSchema>(url, {
    sqlite: async (file) => (await import("./sqlite/schema.ts")).openSqliteSchema(file, emit),
    postgres: async () => (await import("./postgres/schema.ts")).openPostgresSchema(url, emit),
  });
}

interface Engines<Opened> {
  sqlite(file: string): Promise<Opened>;
  postgres(): Promise<Opened>;
}

async function openEngine<Opened>(url: string, engines: Engines<Opened>): Promise<Opened> {
  const file = fileOfStore(url);
  try {
    return await (file === undefined ? engines.postgres() : engines.sqlite(file));
  } catch (error) {
    if (error instanceof UnusableStore || error instanceof StoreFailure) throw error;
    // The name of a file helps. The URL of a server may contain a password.
    const store = file === undefined ? "the database" : url;
    const reason = file === undefined ? (error as Error).message : whyUnusable(file, error);
    throw new UnusableStore(`cannot open ${store}: ${reason}`, { cause: error });
  }
}
