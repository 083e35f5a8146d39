import type { BulkAccess, BulkStore } from "../../../domain/transfer.ts";
import type { ObservationSink } from "../../../observations/observation.ts";
import { bulkStoreOn } from "../../bulk/bulk-store.ts";
import { closeOnFailure } from "../../close-on-failure.ts";
import { connect, connectToWrite } from "../connection.ts";
import { createFile } from "../file.ts";
import { assertComplete } from "../incomplete-copy.ts";
import { assertStore, migrate, readSchemaVersion } from "../migrate.ts";
import { filesOpened, identityOf, OpenedFiles } from "../opened-files.ts";
import { storeFileAt } from "../store-files.ts";
import { inTurn } from "../write-turn.ts";
import { sqliteBulkDatabase } from "./bulk-database.ts";

/**
 * Opens a store in an SQLite file, for commands that read or change many animals.
 *
 * @param path the file, or a symbolic link to it
 * @param clock milliseconds since 1970
 * @param emit receives an event if the command has to wait for the write lock
 * @throws UnusableStore
 */
export function openSqliteBulkStore(
  path: string,
  access: BulkAccess,
  clock: () => number,
  emit: ObservationSink,
): Promise<BulkStore> {
  return inTurn((lockWaitMs) => open(path, access, clock, emit, lockWaitMs), emit);
}

function open(
  path: string,
  access: BulkAccess,
  clock: () => number,
  emit: ObservationSink,
  lockWaitMs: number,
): BulkStore {
  if (access !== "write") assertStore(path);
  createFile(path);
  readSchemaVersion(path);
  const identity = identityOf(path);
  const file = storeFileAt(path);
  const database = access === "read" ? connect(file) : connectToWrite(file, lockWaitMs);
  return closeOnFailure(database, () => {
    migrate(database, file, lockWaitMs);
    if (access !== "write") assertComplete(database, file);
    const files = new OpenedFiles(filesOpened(identity, file));
    return bulkStoreOn(sqliteBulkDatabase(database, file, files, emit), clock);
  });
}
