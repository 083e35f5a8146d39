import type { Database, Statement } from "bun:sqlite";
import {
  type ChangeEvent,
  EVENT_TYPES,
  type EventPage,
  type EventQuery,
  type EventType,
} from "../../domain/change-event.ts";
import { pageOf } from "../../domain/page.ts";
import type { FeedState } from "../../domain/store.ts";
import type { FeedStatus } from "../../domain/transfer.ts";
import { isInFeed } from "../feed-position.ts";
import { type EventRow, eventsOf } from "./event-row.ts";
import { lastIdOf, raiseLastId } from "./sequence.ts";

const ROWS = "SELECT id, type, at, items FROM event";

/** The id of the newest event, kept or not. */
const NEWEST = "max(expired_through, coalesce((SELECT max(id) FROM event), 0))";

interface Positions {
  readonly expiredThrough: bigint;
  readonly newest: bigint;
  readonly recording: bigint;
}

/** Reads the feed. A list takes several reads, so it needs a transaction. */
export class Events {
  readonly #positions: Statement<Positions, []>;
  readonly #event: Statement<unknown, [{ id: bigint }]>;
  readonly #all: Statement<EventRow, [bigint, number]>;
  readonly #ofType: Statement<EventRow, [EventType, bigint, number]>;

  constructor(database: Database) {
    this.#positions = database.prepare(
      `SELECT expired_through AS expiredThrough, ${NEWEST} AS newest, recording FROM feed`,
    );
    this.#event = database.prepare(
      "SELECT 1 FROM (SELECT id, events FROM event WHERE id >= $id ORDER BY id LIMIT 1) WHERE id - events < $id",
    );
    // The plus keeps SQLite from planning again for each value: see `Animals`.
    this.#all = database.prepare(`${ROWS} WHERE id > ? ORDER BY id LIMIT +?`);
    this.#ofType = database.prepare(`${ROWS} WHERE type = +? AND id > ? ORDER BY id LIMIT +?`);
  }

  list({ types, after, limit }: EventQuery): EventPage | "expired" {
    const { expiredThrough, newest } = this.#read();
    if (after !== undefined && !isInFeed(after, expiredThrough, this.#event.get({ id: after }) !== null)) {
      return "expired";
    }
    return { ...pageOf(this.#find(types, after ?? expiredThrough, limit + 1), limit), newest };
  }

  newest(): bigint {
    return this.#read().newest;
  }

  state(): FeedState {
    const { recording, expiredThrough } = this.#read();
    return { isRecording: recording === 1n, expiredThrough };
  }

  #read(): Positions {
    return this.#positions.get() ?? { expiredThrough: 0n, newest: 0n, recording: 0n };
  }

  /** Every type has a walk of its own, since one walk over all would pass by any number of events of other types. */
  #find(types: readonly EventType[], after: bigint, limit: number): ChangeEvent[] {
    if (EVENT_TYPES.every((type) => types.includes(type))) {
      return firstEvents(this.#all.iterate(after, limit), after, limit);
    }
    return types
      .flatMap((type) => firstEvents(this.#ofType.iterate(type, after, limit), after, limit))
      .sort((one, other) => (one.id < other.id ? -1 : 1))
      .slice(0, limit);
  }
}

/** Reads no more rows than it takes: a row may hold as many events as a page. */
function firstEvents(rows: Iterable<EventRow>, after: bigint, limit: number): ChangeEvent[] {
  const events: ChangeEvent[] = [];
  for (const row of rows) {
    events.push(...eventsOf(row, after));
    if (events.length >= limit) break;
  }
  return events.slice(0, limit);
}

/** Events that no reader gets any more do not count as kept, even if they have not been deleted yet. */
export function feedStatus(database: Database): FeedStatus {
  const row = database
    .query<{ recording: bigint; kept: bigint; oldestAt: bigint | null; newestId: bigint }, []>(
      `SELECT recording, (SELECT coalesce(sum(events), 0) FROM event WHERE id > expired_through) AS kept,
              (SELECT at FROM event WHERE id > expired_through ORDER BY id LIMIT 1) AS oldestAt,
              ${NEWEST} AS newestId FROM feed`,
    )
    .get();
  return {
    recording: row?.recording === 1n,
    kept: Number(row?.kept ?? 0),
    oldestAt: row?.oldestAt == null ? undefined : Number(row.oldestAt),
    newestId: row?.newestId ?? 0n,
  };
}

/** Makes a store without events continue another store's feed, which readers may have read up to the newest event. */
export function continueFeed(database: Database, newestId: bigint, recording: boolean): void {
  raiseLastId(database, "event", newestId);
  database.query("UPDATE feed SET expired_through = ?, recording = ?").run(newestId, recording ? 1 : 0);
}

/** Switches recording on or off, within a transaction. */
export function setRecording(database: Database, on: boolean): void {
  const { changes } = database
    .query("UPDATE feed SET recording = $on WHERE recording <> $on")
    .run({ on: on ? 1 : 0 });
  if (changes > 0 && on) expirePositions(database);
}

/**
 * Lets every position in the feed expire, within a transaction: readers start again from a list. The position of a
 * reader that has read everything is the last id, so one id is passed over.
 */
export function expirePositions(database: Database): void {
  const id = lastIdOf(database, "event") + 1n;
  raiseLastId(database, "event", id);
  database.query("UPDATE feed SET expired_through = ?").run(id);
}
