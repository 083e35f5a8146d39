import type { Database } from "bun:sqlite";
import { closeOnFailure } from "../../close-on-failure.ts";
import { connect } from "../connection.ts";
import { type FileIdentity, identityOf, isSameFile } from "../opened-files.ts";
import { storeFileAt } from "../store-files.ts";
import { isStillMapped, type MappedHeader, mapHeader } from "./shared-memory-revision.ts";

export interface OpenedDatabase {
  /** The file itself, even if the path is a link. */
  readonly file: string;
  readonly database: Database;
  readonly header: MappedHeader;
  /** The identity of the file before it was opened. */
  readonly identity: FileIdentity;
}

/** Opens a database and the shared memory that it uses. */
export function openWithSharedMemory(path: string): OpenedDatabase {
  for (;;) {
    const identity = identityOf(path);
    const file = storeFileAt(path);
    const header = mapHeader(file);
    const database = connect(file);
    const isCurrent = closeOnFailure(
      database,
      () => isStillMapped(file, header) && isSameFile(identity, identityOf(path)),
    );
    if (isCurrent) return { file, database, header, identity };
    // Meanwhile another process closed the last connection, which deleted the memory that was mapped, or the file was
    // replaced.
    database.close();
  }
}
