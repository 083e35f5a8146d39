import type { Database, Statement } from "bun:sqlite";
import type { EventType } from "../../domain/change-event.ts";
import { animalStatusUnder, type Order, type OrderStatus } from "../../domain/order.ts";

/** Events deleted in one transaction: it must not keep writes waiting. */
const EXPIRE_MAX = 1000;

const INSERT_ANIMALS = `
  INSERT INTO event (type, at, animal_id, name, category_id, status)
  SELECT ?, ?, id, name, category_id, status FROM animal`;

/**
 * Writes events, in the transaction of the change that they report. Call nothing of it but `isRecording` and
 * `deleteExpired` where recording is off. Times are milliseconds since 1970.
 */
export class EventLog {
  readonly #recording: Statement<{ recording: bigint }, []>;
  readonly #animals: Statement<unknown, [EventType, number, bigint, bigint]>;
  readonly #order: Statement<unknown, [EventType, number, bigint, OrderStatus, bigint, number]>;
  readonly #lastExpired: Statement<{ id: bigint | null }, [number, number]>;
  readonly #delete: Statement<unknown, [bigint]>;
  readonly #expire: Statement<unknown, [bigint]>;

  #wasRecording = false;

  constructor(database: Database) {
    this.#recording = database.prepare("SELECT recording FROM feed");
    this.#animals = database.prepare(`${INSERT_ANIMALS} WHERE id BETWEEN ? AND ? ORDER BY id`);
    this.#order = database.prepare(
      "INSERT INTO event (type, at, animal_id, status, order_id, placed_at) VALUES (?, ?, ?, ?, ?, ?)",
    );
    this.#lastExpired = database.prepare(
      "SELECT max(id) AS id FROM (SELECT id, at FROM event ORDER BY id LIMIT ?) WHERE at < ?",
    );
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
    this.#animals.run("animal.created", at, from, to);
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

  /** Deletes some events that were recorded before a time, the oldest first, and all before them; returns how many. */
  deleteExpired(before: number): number {
    const last = this.#lastExpired.get(EXPIRE_MAX, before)?.id ?? undefined;
    if (last === undefined) return 0;
    this.#expire.run(last);
    return this.#delete.run(last).changes;
  }

  #write(type: EventType, { id, petId, status, placedAt, updatedAt }: Order): void {
    this.#order.run(type, updatedAt, petId, status, id, placedAt);
  }
}
