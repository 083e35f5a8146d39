import type { SQL } from "bun";
import type { EventType } from "../../../domain/change-event.ts";
import type { FeedStatus } from "../../../domain/transfer.ts";
import { BATCH_MAX } from "../../group-commit.ts";
import { namesOf } from "../../table.ts";
import { ANIMAL } from "../../tables.ts";
import { eventsOf, insertAnimalEvents } from "../animal-events.ts";
import { column } from "../columns.ts";
import type { BulkSession } from "./session.ts";

/** Animals whose events share a row: as many as creates of one transaction. */
const ROW_MAX = BATCH_MAX;

const ANIMALS_CREATED = insertText("animal.created", "id <= $3::bigint");
const STATUSES_CHANGED = insertText("animal.status_changed", "id = ANY ($3::bigint[])");

/** Returns the last of the animals. */
function insertText(type: EventType, which: string): string {
  const animals = `
    SELECT ${namesOf(ANIMAL.columns)} FROM animal_store.animal
     WHERE id > $2::bigint AND ${which} ORDER BY id LIMIT ${ROW_MAX}`;
  return `${insertAnimalEvents(type, "$1", eventsOf(animals))} RETURNING animal_ids[events] AS last`;
}

// Each of these runs within the transaction of the change, after the locks of `state` and `rewrite_lock` that it takes:
// the feed is locked last.

/** Reports in the feed that all animals from one id to another were added, if changes are recorded. */
export async function recordCreatedAnimals(
  session: BulkSession,
  from: bigint,
  to: bigint,
  at: number,
): Promise<void> {
  if (!(await isRecording(session))) return;
  await record(session, from, (sql, after) => sql.unsafe(ANIMALS_CREATED, [at, after, to]));
}

/** Reports in the feed that animals have another status, if changes are recorded. */
export async function recordStatusChanges(
  session: BulkSession,
  ids: readonly bigint[],
  at: number,
): Promise<void> {
  if (ids.length === 0) return;
  // Nobody switches recording on between this and the commit.
  await session.run((sql) => sql`SELECT animal_store.lock_rewrites()`);
  if (!(await isRecording(session))) return;
  await record(session, 1n, (sql, after) =>
    sql.unsafe(STATUSES_CHANGED, [at, after, column(sql, ids, String)]),
  );
}

/** Inserts row by row, until no animals are left. */
async function record(
  session: BulkSession,
  from: bigint,
  insert: (sql: SQL, after: bigint) => Promise<readonly { last: bigint }[]>,
): Promise<void> {
  let after: bigint | undefined = from - 1n;
  while (after !== undefined) {
    const behind: bigint = after;
    const [row] = await session.run((sql) => insert(sql, behind));
    after = row?.last;
  }
}

/** Lets every position in the feed expire, if changes are recorded: readers start again from a list. */
export async function expirePositions(session: BulkSession): Promise<void> {
  if (!(await isRecording(session))) return;
  await session.run(
    (sql) =>
      sql`UPDATE animal_store.feed SET expired_through = nextval('animal_store.event_id_seq') WHERE single`,
  );
}

/** Makes a store without events continue another store's feed, which readers may have read up to the newest event. */
export async function continueFeed(
  session: BulkSession,
  newestId: bigint,
  recording: boolean,
): Promise<void> {
  await session.run(
    (sql) => sql`UPDATE animal_store.feed SET expired_through = ${newestId}::bigint WHERE single`,
  );
  await session.run((sql) => sql`SELECT animal_store.set_recording(${recording}), animal_store.lock_feed()`);
}

/** Events that no reader gets any more do not count as kept, even if they have not been deleted yet. */
export async function feedStatus(session: BulkSession): Promise<FeedStatus> {
  const [row] = await session.run<
    { recording: boolean; kept: bigint; oldestAt: bigint | null; newestId: bigint }[]
  >(
    (sql) => sql`
      SELECT recording,
             (SELECT coalesce(sum(events), 0)::bigint FROM animal_store.event WHERE id > expired_through) AS kept,
             (SELECT at FROM animal_store.event WHERE id > expired_through ORDER BY id LIMIT 1) AS "oldestAt",
             greatest(expired_through, (SELECT id FROM animal_store.event ORDER BY id DESC LIMIT 1)) AS "newestId"
        FROM animal_store.feed WHERE single`,
  );
  return {
    recording: row?.recording ?? false,
    kept: Number(row?.kept ?? 0n),
    oldestAt: row?.oldestAt == null ? undefined : Number(row.oldestAt),
    newestId: row?.newestId ?? 0n,
  };
}

/** Locks the feed only where changes are recorded: elsewhere nothing waits for it. */
async function isRecording(session: BulkSession): Promise<boolean> {
  const [feed] = await session.run<{ recording: boolean }[]>(
    (sql) => sql`SELECT recording FROM animal_store.feed WHERE single`,
  );
  if (!feed?.recording) return false;
  const [locked] = await session.run<{ recording: boolean }[]>(
    (sql) => sql`SELECT animal_store.lock_feed() AS recording`,
  );
  return locked?.recording ?? false;
}
