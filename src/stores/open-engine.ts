import { StoreFailure } from "../domain/failure.ts";
import { UnusableStore } from "./errors.ts";
import { missingRights } from "./sqlite/missing-rights.ts";
import { fileOfStore } from "./url.ts";

/** How a kind of store is opened on each engine. Only the engine that is used is to be loaded. */
interface Engines<Opened> {
  sqlite(file: string): Promise<Opened>;
  postgres(url: string): Promise<Opened>;
}

/**
 * Opens what a URL names: `sqlite:./relative/path` (from the current folder), `sqlite:/absolute/path`, or
 * `postgres://user:password@host:port/database`.
 *
 * @throws UnusableStore when it cannot be used as it is; StoreFailure when it cannot be reached
 */
export async function openEngine<Opened>(url: string, engines: Engines<Opened>): Promise<Opened> {
  const file = fileOfStore(url);
  try {
    return await (file === undefined ? engines.postgres(url) : engines.sqlite(file));
  } catch (error) {
    if (error instanceof UnusableStore || error instanceof StoreFailure) throw error;
    // A file's name helps; another URL may hold a password.
    const store = file === undefined ? "the database" : url;
    const reason = (file && missingRights(file)) ?? (error as Error).message;
    throw new UnusableStore(`cannot open ${store}: ${reason}`, { cause: error });
  }
}
