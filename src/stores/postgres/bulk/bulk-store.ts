import type { EventSink } from "../../../domain/event.ts";
import type { BulkAccess, BulkStore, Staging } from "../../../domain/transfer.ts";
import { incompleteCopy, MissingStore, UnusableStore } from "../../errors.ts";
import { openPatientPool } from "../connect/open-pool.ts";
import { migrate, schemaVersion } from "../migrate.ts";
import { assertRights } from "../rights.ts";
import { receive } from "./copy-target.ts";
import { correct, listCorrections } from "./corrections.ts";
import { feedStatus } from "./events.ts";
import { findImport } from "./imports.ts";
import { BulkSession } from "./session.ts";
import { beginSnapshot } from "./snapshot.ts";
import { STAGED_ANIMALS, STAGED_ORDERS } from "./staged-kinds.ts";
import { PostgresStaging, type StagedKind } from "./staging.ts";

/**
 * Opens a store in a PostgreSQL database, for commands that read or change many animals.
 *
 * @param clock milliseconds since 1970
 * @param emit receives an event if the work has to wait for others
 * @throws UnusableStore
 */
export async function openPostgresBulkStore(
  url: string,
  access: BulkAccess,
  clock: () => number,
  emit: EventSink,
): Promise<BulkStore> {
  const pool = await openPatientPool(url, emit);
  try {
    if (access !== "write" && (await schemaVersion(pool)) === 0) throw new MissingStore(url);
    await migrate(pool, emit);
    await assertRights(pool, access === "read" ? "read" : "write");
  } finally {
    await pool.close();
  }
  const session = await BulkSession.open(url, emit);
  try {
    if (access !== "write") await assertComplete(session);
  } catch (error) {
    await session.close();
    throw error;
  }
  const stage = async <Item extends { readonly id?: bigint }>(
    kind: StagedKind<Item>,
  ): Promise<Staging<Item>> => {
    await assertComplete(session);
    return PostgresStaging.begin(kind, session, clock);
  };
  return {
    corrections: {
      correct: (ids, change, source) => correct(session, ids, change, source),
      list: ({ animalId, last }) => listCorrections(session, animalId, last),
    },
    snapshot: async () => beginSnapshot(await BulkSession.open(url, emit)),
    stage: () => stage(STAGED_ANIMALS),
    stageOrders: () => stage(STAGED_ORDERS),
    feedStatus: () => feedStatus(session),
    async stopRecording() {
      await session.run((sql) => sql`SELECT animal_store.record_events(false)`);
    },
    findImport: (digest) => findImport(session, digest),
    receive: (source) => receive(session, source),
    [Symbol.asyncDispose]: () => session.close(),
  };
}

async function assertComplete(session: BulkSession): Promise<void> {
  const [begun] = await session.run<unknown[]>((sql) => sql`SELECT 1 FROM animal_store.incomplete_copy`);
  if (begun) throw new UnusableStore(incompleteCopy("the database"));
}
