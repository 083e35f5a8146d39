import { StoreFailure } from "../domain/failure.ts";
import { UnusableStore } from "./errors.ts";
import { missingRights } from "./sqlite/missing-rights.ts";
import { fileOfStore } from "./url.ts";

/** How to open a store on each engine. Each function loads its engine when it is called, so that the other stays unloaded. */
interface Engines<Opened> {
  sqlite(file: string): Promise<Opened>;
  postgres(url: string): Promise<Opened>;
}

/**
 * Opens the store at a URL: `sqlite:./relative/path` (from the current folder), `sqlite:/absolute/path`, or
 * `postgres://user:password@host:port/database`.
 *
 * @throws UnusableStore if the store cannot be used as it is; StoreFailure if it cannot be reached
 */
export async function openEngine<Opened>(url: string, engines: Engines<Opened>): Promise<Opened> {
  const file = fileOfStore(url);
  try {
    return await (file === undefined ? engines.postgres(url) : engines.sqlite(file));
  } catch (error) {
    if (error instanceof UnusableStore || error instanceof StoreFailure) throw error;
    // The name of a file helps. The URL of a server may contain a password.
    const store = file === undefined ? "the database" : url;
    const reason = (file && missingRights(file)) ?? (error as Error).message;
    throw new UnusableStore(`cannot open ${store}: ${reason}`, { cause: error });
  }
}
