import type { SQL } from "bun";
import { EVENT_TYPES, type EventPage, type EventQuery } from "../../domain/change-event.ts";
import { LIMIT_MAX, pageOf } from "../../domain/page.ts";
import { type EventRow, eventOf, isInFeed } from "../event-row.ts";
import type { Pool } from "./connect/pool.ts";
import type { ReadBatcher } from "./read-batcher.ts";

/** Events deleted in one transaction. */
const EXPIRE_MAX = 500;

const POSITIONS = `
  SELECT expired_through AS "expiredThrough",
         greatest(expired_through, (SELECT id FROM animal_store.event ORDER BY id DESC LIMIT 1)) AS newest, recording
    FROM animal_store.feed WHERE single LIMIT 1`;

const COLUMNS = `e.id, e.type, e.at, e.animal_id AS "animalId", e.name, e.category_id AS "categoryId", e.status,
                 e.order_id AS "orderId", e.placed_at AS "placedAt"`;

/** Where to begin: `$1`, or after what has expired. */
const AFTER = `coalesce($1::bigint, positions."expiredThrough")`;

/** The inner limits say how few rows are wanted, as for animals. */
const LIST_ALL = listText(`
  SELECT ${COLUMNS} FROM animal_store.event e WHERE e.id > ${AFTER} ORDER BY e.id LIMIT ${LIMIT_MAX + 1}`);

/** Every type has a range of its own, since one walk over all would pass by any number of events of other types. */
const LIST_TYPES = listText(`
  SELECT each.* FROM unnest($3::text[]) AS wanted (type), LATERAL (
    SELECT * FROM (
      SELECT ${COLUMNS} FROM animal_store.event e
       WHERE (e.type, e.id) > (wanted.type, ${AFTER}) AND e.type <= wanted.type
       ORDER BY e.type, e.id LIMIT ${LIMIT_MAX + 1}) AS longest LIMIT $2) AS each
   ORDER BY each.id`);

function listText(events: string): string {
  return `WITH positions AS MATERIALIZED (${POSITIONS})
          SELECT positions.*, EXISTS (SELECT FROM animal_store.event WHERE id = $1::bigint) AS "hasAfter", page.*
            FROM positions LEFT JOIN LATERAL (SELECT * FROM (${events}) AS longest LIMIT $2) AS page ON true
           ORDER BY page.id`;
}

/**
 * Deletes the oldest events of those that begin behind an id, and all before them. While somebody holds a snapshot,
 * deleted rows stay in the index: the search begins behind those that it deleted last.
 */
const DELETE_EXPIRED = `
  WITH oldest AS MATERIALIZED (
    SELECT id, at, ctid AS place FROM animal_store.event WHERE id > $1::bigint ORDER BY id LIMIT ${EXPIRE_MAX}
  ), expired AS MATERIALIZED (
    SELECT max(id) AS last FROM oldest WHERE at < $2::bigint
  ), deleted AS (
    DELETE FROM animal_store.event
     WHERE ctid = ANY (ARRAY(SELECT place FROM oldest, expired WHERE id <= last))
    RETURNING id
  ), noted AS (
    UPDATE animal_store.feed SET expired_through = greatest(expired_through, last) FROM expired
     WHERE single AND last IS NOT NULL AND (SELECT count(*) FROM deleted) > 0
  )
  SELECT (SELECT count(*) FROM deleted) AS count, last FROM expired`;

/** Lets ids go on above those that another server may have given, also to events that were lost with it. */
export const continueOnServer = (sql: SQL): PromiseLike<unknown> => sql`
  SELECT animal_store.lock_feed() FROM animal_store.feed
   WHERE single AND server IS DISTINCT FROM animal_store.server_identity()`;

interface Positions {
  readonly expiredThrough: bigint;
  readonly newest: bigint;
  readonly recording: boolean;
}

type Listed = Positions & {
  /** Whether the event is there after which the page begins. */
  readonly hasAfter: boolean;
} & (EventRow | { id: null });

/** Reads the feed, and keeps its bounds. */
export class Feed {
  readonly #pool: Pool;
  readonly #reads: ReadBatcher;
  #deletedThrough = 0n;

  constructor(pool: Pool, reads: ReadBatcher) {
    this.#pool = pool;
    this.#reads = reads;
  }

  async list({ types, after, limit }: EventQuery): Promise<EventPage | "expired"> {
    const hasAll = EVENT_TYPES.every((type) => types.includes(type));
    const rows = await this.#reads.run<Listed[]>((sql) => {
      const bounds = [after ?? null, limit + 1];
      return hasAll
        ? sql.unsafe(LIST_ALL, bounds)
        : sql.unsafe(LIST_TYPES, [...bounds, sql.array([...types], "TEXT")]);
    });
    const { expiredThrough, newest, hasAfter } = rows[0] as Listed;
    if (after !== undefined && !isInFeed(after, expiredThrough, hasAfter)) return "expired";
    const events = rows.flatMap((row) => (row.id === null ? [] : [eventOf(row)]));
    return { ...pageOf(events, limit), newest };
  }

  async newest(): Promise<bigint> {
    return (await this.#positions()).newest;
  }

  async isRecording(): Promise<boolean> {
    return (await this.#positions()).recording;
  }

  async record(on: boolean): Promise<void> {
    await this.#pool.write((sql) => sql`SELECT animal_store.record_events(${on})`);
  }

  /** @param before milliseconds since 1970 */
  async deleteExpired(before: number): Promise<number> {
    const [row] = await this.#pool.write<{ count: bigint; last: bigint | null }[]>((sql) =>
      sql.unsafe(DELETE_EXPIRED, [this.#deletedThrough, before]),
    );
    if (row?.last != null) this.#deletedThrough = row.last;
    return Number(row?.count ?? 0n);
  }

  async #positions(): Promise<Positions> {
    const [row] = await this.#reads.run<Positions[]>((sql) => sql.unsafe(POSITIONS));
    return row as Positions;
  }
}
