import type { Database, Statement } from "bun:sqlite";
import type { EventType } from "../../domain/change-event.ts";
import { animalStatusUnder, type Order, type OrderStatus } from "../../domain/order.ts";
import { namesOf } from "../table.ts";
import { ANIMAL } from "../tables.ts";
import { orderItems, ROW_EVENTS_MAX } from "./event-row.ts";

/** Rows deleted in one transaction, and events in all but the last of them: it must not keep writes waiting. */
const EXPIRE_ROWS_MAX = 200;
const EXPIRE_EVENTS_MAX = 2000;

const ITEM = `json_array(${ANIMAL.columns.map(({ name, type }) => (type === "bigint" ? `CAST(${name} AS TEXT)` : name))})`;

/**
 * The last of the oldest rows to delete, and the events of these rows. An expired row takes all rows before it along, whatever
 * their times: they are older, and were written while a clock was ahead. The plus has SQLite walk the index by time.
 */
const EXPIRED = `
  WITH oldest AS MATERIALIZED (
    SELECT id, at, events, sum(events) OVER (ORDER BY id) AS total
      FROM (SELECT id, at, events FROM event ORDER BY id LIMIT ${EXPIRE_ROWS_MAX})
  ), expired AS MATERIALIZED (
    SELECT coalesce((SELECT id FROM event WHERE at < $before AND +id > (SELECT max(id) FROM oldest) LIMIT 1),
                    (SELECT max(id) FROM oldest WHERE at < $before)) AS last
  )
  SELECT max(id) AS last, max(total) AS events FROM oldest, expired
   WHERE id <= expired.last AND total - events < ${EXPIRE_EVENTS_MAX}`;

const INSERT_ANIMALS = `
  INSERT INTO event (id, type, at, events, items)
  SELECT coalesce((SELECT seq FROM sqlite_sequence WHERE name = 'event'), 0) + count(*), ?, ?, count(*),
         json_group_array(${ITEM})
    FROM (SELECT ${namesOf(ANIMAL.columns)} FROM animal WHERE id BETWEEN +? AND +? ORDER BY id)
  HAVING count(*) > 0`;

/**
 * Writes events, in the transaction of the change that they report. Call nothing of it but `isRecording` and
 * `deleteExpired` where recording is off. Times are milliseconds since 1970.
 */
export class EventLog {
  readonly #recording: Statement<{ recording: bigint }, []>;
  readonly #animals: Statement<unknown, [EventType, number, bigint, bigint]>;
  readonly #lastOfRow: Statement<{ id: bigint | null }, [bigint, bigint, number]>;
  readonly #order: Statement<unknown, [EventType, number, string]>;
  readonly #expired: Statement<{ last: bigint | null; events: bigint | null }, [{ before: number }]>;
  readonly #delete: Statement<unknown, [bigint]>;
  readonly #expire: Statement<unknown, [bigint]>;

  #wasRecording = false;

  constructor(database: Database) {
    this.#recording = database.prepare("SELECT recording FROM feed");
    this.#animals = database.prepare(INSERT_ANIMALS);
    this.#lastOfRow = database.prepare(
      "SELECT max(id) AS id FROM (SELECT id FROM animal WHERE id BETWEEN +? AND +? ORDER BY id LIMIT +?)",
    );
    this.#order = database.prepare("INSERT INTO event (type, at, items) VALUES (?, ?, ?)");
    this.#expired = database.prepare(EXPIRED);
    this.#delete = database.prepare("DELETE FROM event WHERE id <= ?");
    this.#expire = database.prepare("UPDATE feed SET expired_through = max(expired_through, ?)");
  }

  /** Whether changes were recorded when `isRecording` last looked. */
  get wasRecording(): boolean {
    return this.#wasRecording;
  }

  isRecording(): boolean {
    this.#wasRecording = this.#recording.get()?.recording === 1n;
    return this.#wasRecording;
  }

  /** All animals from one id to another were added. */
  animalsCreated(from: bigint, to: bigint, at: number): void {
    for (let first = from; first <= to; ) {
      const fits = to - first < ROW_EVENTS_MAX;
      const last = fits ? to : (this.#lastOfRow.get(first, to, ROW_EVENTS_MAX)?.id ?? to);
      this.#animals.run("animal.created", at, first, last);
      first = last + 1n;
    }
  }

  animalStatusChanged(id: bigint, at: number): void {
    this.#animals.run("animal.status_changed", at, id, id);
  }

  orderPlaced(order: Order): void {
    this.#write("order.placed", order);
    this.animalStatusChanged(order.petId, order.updatedAt);
  }

  /** @param order as it is now */
  orderStatusChanged(from: OrderStatus, order: Order): void {
    this.#write("order.status_changed", order);
    if (animalStatusUnder(from) !== animalStatusUnder(order.status)) {
      this.animalStatusChanged(order.petId, order.updatedAt);
    }
  }

  /**
   * Deletes some events that were recorded before a time, the oldest first, with all events before them; returns how many.
   * One call passes over no more rows than it may delete.
   */
  deleteExpired(before: number): number {
    const { last, events } = this.#expired.get({ before }) ?? { last: null, events: null };
    if (last === null) return 0;
    this.#expire.run(last);
    this.#delete.run(last);
    return Number(events);
  }

  #write(type: EventType, order: Order): void {
    this.#order.run(type, order.updatedAt, orderItems(order));
  }
}
