import { StoreFailure } from "../domain/failure.ts";
import type { CommitObserver } from "../domain/observation.ts";
import type { Store } from "../domain/store.ts";
import { UnusableStore } from "./unusable-store.ts";

const SQLITE = "sqlite:";

/** The engine behind a URL, as OpenTelemetry names it. */
export function engineOf(url: string): "sqlite" | "postgresql" {
  return url.startsWith(SQLITE) ? "sqlite" : "postgresql";
}

/**
 * Opens the store that a URL names: `sqlite:./relative/path` (from the current folder),
 * `sqlite:/absolute/path`, or `postgres://user:password@host:port/database`.
 *
 * @param clock milliseconds since 1970
 * @param observer who is told of each transaction of creates, if anyone
 * @throws UnusableStore when it cannot be used as it is; StoreFailure when it cannot be reached
 */
export async function openStore(url: string, clock: () => number, observer?: CommitObserver): Promise<Store> {
  try {
    // Only the engine that is used is loaded.
    if (engineOf(url) === "sqlite") {
      const { SqliteStore } = await import("./sqlite/store.ts");
      return new SqliteStore(url.slice(SQLITE.length), clock, observer);
    }
    const { PostgresStore } = await import("./postgres/store.ts");
    return await PostgresStore.open(url, clock, observer);
  } catch (error) {
    if (error instanceof UnusableStore || error instanceof StoreFailure) throw error;
    // A file's name helps; another URL may hold a password.
    const store = url.startsWith(SQLITE) ? url : "the database";
    throw new UnusableStore(`cannot open ${store}: ${(error as Error).message}`, { cause: error });
  }
}
