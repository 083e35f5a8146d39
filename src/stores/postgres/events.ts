import type { SQL } from "bun";
import { EVENT_TYPES, type EventPage, type EventQuery } from "../../domain/change-event.ts";
import { LIMIT_MAX, pageOf } from "../../domain/page.ts";
import type { FeedState } from "../../domain/store.ts";
import { isInFeed } from "../feed-position.ts";
import { ANIMAL, EVENT_ARRAYS } from "../tables.ts";
import type { Pool } from "./connect/pool.ts";
import { type EventRow, eventOf, OF_ORDERS } from "./event-row.ts";
import type { ReadBatcher } from "./read-batcher.ts";
import type { StandbyRule } from "./standbys/standby-reads.ts";
import { Sweep } from "./sweep.ts";

/** Rows deleted in one transaction, and events in all but the last of them: it must end well before its deadline. */
const EXPIRE_ROWS_MAX = 200;
const EXPIRE_EVENTS_MAX = 2000;

const POSITIONS = `
  SELECT expired_through AS "expiredThrough",
         greatest(expired_through, (SELECT id FROM animal_store.event ORDER BY id DESC LIMIT 1)) AS newest, recording
    FROM animal_store.feed WHERE single LIMIT 1`;

/** What a row of events holds of animals, under the names of `EventRow`. */
const ANIMAL_MEMBERS = ANIMAL.columns.map(({ member }) => ({
  name: member === "id" ? '"animalId"' : `"${member}"`,
  array: EVENT_ARRAYS[member],
}));

/** Where to begin: `$1`, or after what has expired. */
const AFTER = `coalesce($1::bigint, positions."expiredThrough")`;

/** Whether `$1` is the id of an event: the row that is the first to end there, or behind it, begins before it. */
const HAS_AFTER = `EXISTS (
  SELECT FROM (SELECT id, events FROM animal_store.event WHERE id >= $1::bigint ORDER BY id LIMIT 1) AS row
   WHERE id - events < $1::bigint)`;

const LIST_ALL = listText(firstEvents(`WHERE e.id > ${AFTER} ORDER BY e.id`));

/** Every type has a range of its own, since one walk over all would pass by any number of events of other types. */
const LIST_TYPES = listText(`
  SELECT each.* FROM unnest($3::text[]) AS wanted (type), LATERAL (${firstEvents(`
    WHERE (e.type, e.id) > (wanted.type, ${AFTER}) AND e.type <= wanted.type ORDER BY e.type, e.id`)}) AS each`);

/**
 * The first `$2` events of some rows, in their order: a nested loop keeps that of the rows, and `unnest` that of the
 * arrays. Of each row it takes no more than a page. The inner limits say how few rows are wanted, as for animals.
 */
function firstEvents(rows: string): string {
  const part = (column: string | undefined) => `e.${column}[skipped + 1 : skipped + ${LIMIT_MAX + 1}]`;
  return `
    SELECT e.id - e.events + skipped + item.n AS id, e.type, e.at, ${ANIMAL_MEMBERS.map(({ name }) => `item.${name}`)},
           ${OF_ORDERS.map(({ column, read }) => `e.${column} AS "${read}"`)}
      FROM (SELECT * FROM (SELECT e.* FROM animal_store.event e ${rows} LIMIT ${LIMIT_MAX + 1}) AS longest LIMIT $2) AS e,
           LATERAL (SELECT greatest(${AFTER} - (e.id - e.events), 0)::integer AS skipped) AS begin,
           LATERAL unnest(${ANIMAL_MEMBERS.map(({ array }) => part(array))})
                   WITH ORDINALITY AS item (${ANIMAL_MEMBERS.map(({ name }) => name)}, n)
     LIMIT $2`;
}

function listText(events: string): string {
  return `WITH positions AS MATERIALIZED (${POSITIONS})
          SELECT positions.*, ${HAS_AFTER} AS "hasAfter", page.*
            FROM positions LEFT JOIN LATERAL (${events}) AS page ON true ORDER BY page.id`;
}

/**
 * Looks at the oldest rows above the id `$1`, and deletes those up to the last one from before `$3`; returns how many events
 * they held. An expired row takes all rows before it along, whatever their times: they are older, and were written while a
 * clock was ahead. Such a row is looked for from the time `$2` on. The pair and the addition keep the planner to the index by
 * time, in its order: between two plain bounds it expects so few rows that it would read and sort all of them.
 */
const DELETE_EXPIRED = `
  WITH oldest AS MATERIALIZED (
    SELECT id, at, place, sum(events) OVER (ORDER BY id) - events AS before
      FROM (SELECT id, at, events, ctid AS place FROM animal_store.event
             WHERE id > $1::bigint ORDER BY id LIMIT ${EXPIRE_ROWS_MAX}) AS first
  ), later AS MATERIALIZED (
    SELECT id FROM animal_store.event
     WHERE (at, events) >= ($2::bigint, 0) AND at < $3::bigint AND id + 0 > (SELECT max(id) FROM oldest) ORDER BY at LIMIT 1
  ), expired AS MATERIALIZED (
    SELECT max(id) AS last, max(at) FILTER (WHERE at < $3::bigint) AS "lastAt" FROM oldest
     WHERE before < ${EXPIRE_EVENTS_MAX}
       AND id <= coalesce((SELECT id FROM later), (SELECT max(id) FROM oldest WHERE at < $3::bigint))
  ), deleted AS (
    DELETE FROM animal_store.event
     WHERE ctid = ANY (ARRAY(SELECT place FROM oldest, expired WHERE id <= last))
    RETURNING events
  ), noted AS (
    UPDATE animal_store.feed SET expired_through = greatest(expired_through, last) FROM expired
     WHERE single AND last IS NOT NULL AND (SELECT count(*) FROM deleted) > 0
  )
  SELECT (SELECT sum(events) FROM deleted) AS count, last, "lastAt" FROM expired`;

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

/** Events expire without a revision. */
const ON_STANDBY: StandbyRule<Listed[]> = {
  async agreement(sql) {
    const { expiredThrough } = await readPositions(sql);
    return (rows) => rows[0]?.expiredThrough === expiredThrough;
  },
};

/** Reads the feed, and keeps its bounds. */
export class Events {
  readonly #pool: Pool;
  readonly #reads: ReadBatcher;
  readonly #expired: Sweep<{ last: bigint; lastAt: bigint }>;

  constructor(pool: Pool, reads: ReadBatcher) {
    this.#pool = pool;
    this.#reads = reads;
    this.#expired = new Sweep(pool, DELETE_EXPIRED, { last: 0n, lastAt: 0n });
  }

  async list({ types, after, limit }: EventQuery): Promise<EventPage | "expired"> {
    const hasAll = EVENT_TYPES.every((type) => types.includes(type));
    const rows = await this.#reads.runApart<Listed[]>((sql) => {
      const bounds = [after ?? null, limit + 1];
      return hasAll
        ? sql.unsafe(LIST_ALL, bounds)
        : sql.unsafe(LIST_TYPES, [...bounds, sql.array([...types], "TEXT")]);
    }, ON_STANDBY);
    const { expiredThrough, newest, hasAfter } = rows[0] as Listed;
    if (after !== undefined && !isInFeed(after, expiredThrough, hasAfter)) return "expired";
    const events = rows.flatMap((row) => (row.id === null ? [] : [eventOf(row)]));
    return { ...pageOf(events, limit), newest };
  }

  async newest(): Promise<bigint> {
    return (await this.#positions()).newest;
  }

  async state(): Promise<FeedState> {
    const { recording, expiredThrough } = await this.#positions();
    return { isRecording: recording, expiredThrough };
  }

  async record(on: boolean): Promise<void> {
    await this.#pool.write((sql) => sql`SELECT animal_store.record_events(${on})`);
  }

  /** @param before milliseconds since 1970 */
  deleteExpired(before: number): Promise<number> {
    return this.#expired.step(before);
  }

  #positions(): Promise<Positions> {
    return this.#reads.runApart(readPositions);
  }
}

/** The library prepares a nested text; a text alone the server would plan each time. */
async function readPositions(sql: SQL): Promise<Positions> {
  const [row] = await sql<Positions[]>`${sql.unsafe(POSITIONS)}`;
  return row as Positions;
}
