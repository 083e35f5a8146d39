import type { EventSink } from "../../../domain/event.ts";
import type { BulkAccess, BulkStore, Staging } from "../../../domain/transfer.ts";
import { incompleteCopy, UnusableStore } from "../../errors.ts";
import { attempt, connect, connectToWrite } from "../connection.ts";
import { feedStatus, setRecording } from "../feed.ts";
import { createFile, fileBehindLink } from "../file.ts";
import { assertStore, migrate, readSchemaVersion } from "../migrate.ts";
import { filesOpened, identityOf, OpenedFiles } from "../opened-files.ts";
import { changeInTurn, inTurn } from "../write-turn.ts";
import { receive, sourceUnderWay } from "./copy-target.ts";
import { correct, listCorrections } from "./corrections.ts";
import { findImport } from "./imports.ts";
import { beginSnapshot } from "./snapshot.ts";
import { STAGED_ANIMALS, STAGED_ORDERS } from "./staged-kinds.ts";
import { SqliteStaging, type StagedKind } from "./staging.ts";

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
  emit: EventSink,
): Promise<BulkStore> {
  return inTurn((lockWaitMs) => open(path, access, clock, emit, lockWaitMs), emit);
}

function open(
  path: string,
  access: BulkAccess,
  clock: () => number,
  emit: EventSink,
  lockWaitMs: number,
): BulkStore {
  if (access !== "write") assertStore(path);
  createFile(path);
  readSchemaVersion(path);
  const identity = identityOf(path);
  const file = fileBehindLink(path);
  const database = access === "read" ? connect(file) : connectToWrite(file, lockWaitMs);
  const assertComplete = () => {
    if (sourceUnderWay(database) !== undefined) throw new UnusableStore(incompleteCopy(file));
  };
  try {
    migrate(database, file, lockWaitMs);
    if (access !== "write") assertComplete();
  } catch (error) {
    database.close();
    throw error;
  }
  const files = new OpenedFiles(filesOpened(identity, file));
  const read = async <Result>(work: () => Result): Promise<Result> => attempt(database, work);
  const change = async <Result>(work: () => Result): Promise<Result> => {
    const result = await changeInTurn(database, work, emit);
    files.assertCommitted();
    return result;
  };
  const stage = async <Item extends { readonly id?: bigint }>(
    kind: StagedKind<Item>,
  ): Promise<Staging<Item>> => {
    assertComplete();
    return attempt(database, () => new SqliteStaging(kind, { database, file, files, clock, emit }));
  };
  return {
    corrections: {
      correct: (ids, wanted, source) => change(() => correct(database, ids, wanted, source)),
      list: ({ animalId, last }) => read(() => listCorrections(database, animalId, last)),
    },
    snapshot: async () => beginSnapshot(connect(file)),
    stage: () => stage(STAGED_ANIMALS),
    stageOrders: () => stage(STAGED_ORDERS),
    feedStatus: () => read(() => feedStatus(database)),
    stopRecording: () => change(() => setRecording(database, false)),
    findImport: (digest) => read(() => findImport(database, digest)),
    receive: (source) => receive(database, source, files, emit),
    async [Symbol.asyncDispose]() {
      database.close();
    },
  };
}
