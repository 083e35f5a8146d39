import { StoreFailure } from "../domain/failure.ts";
import type { BulkStore } from "../domain/transfer.ts";
import { engineOf } from "./open.ts";
import { UnusableStore } from "./unusable-store.ts";

const SQLITE = "sqlite:";

/**
 * Opens the store that a URL names, as `openStore` does, for commands that move many animals.
 *
 * @param access `read` asks for a store that exists and is whole; `write` makes one where there is none
 * @param clock milliseconds since 1970
 * @throws UnusableStore when it cannot be used as it is; StoreFailure when it cannot be reached
 */
export async function openBulkStore(
  url: string,
  access: "read" | "write",
  clock: () => number,
): Promise<BulkStore> {
  try {
    if (engineOf(url) === "sqlite") {
      const { SqliteBulkStore } = await import("./sqlite/bulk.ts");
      return new SqliteBulkStore(url.slice(SQLITE.length), access, clock);
    }
    const { PostgresBulkStore } = await import("./postgres/bulk.ts");
    return await PostgresBulkStore.open(url, access, clock);
  } catch (error) {
    if (error instanceof UnusableStore || error instanceof StoreFailure) throw error;
    // Another URL may hold a password.
    const store = url.startsWith(SQLITE) ? url : "the database";
    throw new UnusableStore(`cannot open ${store}: ${(error as Error).message}`, { cause: error });
  }
}
