import type { BulkStore, Staging } from "../../domain/transfer.ts";
import { closeOnRejection } from "../close-on-failure.ts";
import type { BulkDatabase } from "./bulk-database.ts";
import { assertComplete, receive } from "./copy-target.ts";
import { correct, listCorrections } from "./corrections.ts";
import { findImport } from "./imports.ts";
import { snapshotOf } from "./snapshot.ts";
import { STAGED_ANIMALS, STAGED_ORDERS, type StagedKind, stage } from "./staging.ts";

/** @param clock milliseconds since 1970 */
export function bulkStoreOn(database: BulkDatabase, clock: () => number): BulkStore {
  const begin = async <Item extends { readonly id?: bigint }>(
    kind: StagedKind<Item>,
  ): Promise<Staging<Item>> => {
    await assertComplete(database);
    return stage(database, kind, clock);
  };
  return {
    corrections: {
      correct: (ids, change, source) => correct(database, ids, change, source),
      list: ({ animalId, last }) => listCorrections(database, animalId, last),
    },
    async snapshot() {
      const separate = await database.beginSnapshot();
      return closeOnRejection(separate, () => snapshotOf(separate));
    },
    stage: () => begin(STAGED_ANIMALS),
    stageOrders: () => begin(STAGED_ORDERS),
    feedStatus: async () => database.feed.status(),
    stopRecording: () => database.transaction(() => database.feed.stopRecording()),
    findImport: (digest) => findImport(database, digest),
    receive: (source) => receive(database, source),
    [Symbol.asyncDispose]: () => database.close(),
  };
}
