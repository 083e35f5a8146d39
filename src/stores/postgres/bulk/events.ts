import type { FeedStatus } from "../../../domain/transfer.ts";
import { column } from "../columns.ts";
import type { BulkSession } from "./session.ts";

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
  await session.run(
    (sql) => sql`
      INSERT INTO animal_store.event (id, type, at, animal_id, name, category_id, status)
      SELECT nextval('animal_store.event_id_seq'), 'animal.created', ${at}::bigint, id, name, category_id, status
        FROM (SELECT * FROM animal_store.animal WHERE id BETWEEN ${from}::bigint AND ${to}::bigint ORDER BY id) AS added`,
  );
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
  await session.run(
    (sql) => sql`
      INSERT INTO animal_store.event (id, type, at, animal_id, name, category_id, status)
      SELECT nextval('animal_store.event_id_seq'), 'animal.status_changed', ${at}::bigint, id, name, category_id, status
        FROM (SELECT * FROM animal_store.animal
               WHERE id = ANY (${column(sql, ids, String)}::bigint[]) ORDER BY id) AS changed`,
  );
}

/** Lets every position in the feed expire, if changes are recorded: readers start again from a list. */
export async function expirePositions(session: BulkSession): Promise<void> {
  if (!(await isRecording(session))) return;
  await session.run(
    (sql) =>
      sql`UPDATE animal_store.feed SET expired_through = nextval('animal_store.event_id_seq') WHERE single`,
  );
}

/** Lets a store that has no events go on after those of another, which its readers may have read up to the newest. */
export async function continueFeed(
  session: BulkSession,
  newestId: bigint,
  recording: boolean,
): Promise<void> {
  await session.run(
    (sql) =>
      sql`UPDATE animal_store.feed SET expired_through = ${newestId}::bigint, recording = ${recording} WHERE single`,
  );
  await session.run((sql) => sql`UPDATE animal_store.state SET recording = ${recording} WHERE single`);
  await session.run((sql) => sql`SELECT animal_store.lock_feed()`);
}

export async function feedStatus(session: BulkSession): Promise<FeedStatus> {
  const [row] = await session.run<
    { recording: boolean; kept: bigint; oldestAt: bigint | null; newestId: bigint }[]
  >(
    (sql) => sql`
      SELECT recording, (SELECT count(*) FROM animal_store.event) AS kept,
             (SELECT at FROM animal_store.event ORDER BY id LIMIT 1) AS "oldestAt",
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
