import type { Database } from "bun:sqlite";
import type { Animal } from "../../../domain/animal.ts";
import {
  type AnimalChange,
  assertFound,
  assertOrdersAllow,
  type Correction,
  type CorrectionQuery,
  type CorrectionSource,
  type Corrections,
  changesStatus,
  correctionsOf,
  type OrderInTheWay,
} from "../../../domain/correction.ts";
import type { EventSink } from "../../../domain/event.ts";
import { CORRECTION_COLUMNS, type CorrectionRow, correctionOf } from "../../correction-row.ts";
import { attempt } from "../connection.ts";
import { EventLog } from "../event-log.ts";
import type { OpenedFiles } from "../opened-files.ts";
import { changeInTurn } from "../write-turn.ts";
import { insertRows } from "./insert-rows.ts";

/** The corrections of a database. Triggers count these changes, which invalidates cached pages (migration 0010). */
export class SqliteCorrections implements Corrections {
  readonly #database: Database;
  readonly #files: OpenedFiles;
  readonly #emit: EventSink;

  /** @param emit receives an event if a correction has to wait for the write lock */
  constructor(database: Database, files: OpenedFiles, emit: EventSink) {
    this.#database = database;
    this.#files = files;
    this.#emit = emit;
  }

  async correct(
    ids: readonly bigint[],
    change: AnimalChange | "remove",
    source: CorrectionSource,
  ): Promise<Correction[]> {
    const database = this.#database;
    const work = () => {
      const corrections = correctionsOf(this.#find(ids), change, source);
      assertOrdersAllow(corrections, this.#findOrders(ids));
      const update = database.query("UPDATE animal SET name = ?, category_id = ?, status = ? WHERE id = ?");
      const remove = database.query("DELETE FROM animal WHERE id = ?");
      for (const { before, after } of corrections) {
        if (after) update.run(after.name, after.categoryId, after.status, before.id);
        else remove.run(before.id);
      }
      keepCorrections(database, corrections);
      const log = new EventLog(database);
      if (log.isRecording()) {
        for (const { before } of corrections.filter(changesStatus)) {
          log.animalStatusChanged(before.id, source.at);
        }
      }
      return corrections;
    };
    const made = await changeInTurn(database, work, this.#emit);
    this.#files.assertCommitted();
    return made;
  }

  async list({ animalId, last }: CorrectionQuery): Promise<Correction[]> {
    return attempt(this.#database, () => listCorrections(this.#database, animalId, last));
  }

  #findOrders(ids: readonly bigint[]): OrderInTheWay[] {
    const ofOne = this.#database.query<OrderInTheWay, [bigint]>(
      "SELECT id, animal_id AS petId, status FROM store_order WHERE animal_id = ? ORDER BY id",
    );
    return ids.flatMap((id) => ofOne.all(id));
  }

  #find(ids: readonly bigint[]): Animal[] {
    const one = this.#database.query<Animal, [bigint]>(
      "SELECT id, name, category_id AS categoryId, status FROM animal WHERE id = ?",
    );
    const animals = ids.flatMap((id) => one.get(id) ?? []);
    assertFound(ids, animals);
    return animals;
  }
}

/** The latest corrections, oldest first. Without `last`, all of them. */
export function listCorrections(database: Database, animalId?: bigint, last = -1): Correction[] {
  const whose = animalId === undefined ? "" : "WHERE animal_id = $animalId";
  return database
    .query<CorrectionRow, { animalId?: bigint; last: number }>(
      `SELECT * FROM (SELECT * FROM stock_correction ${whose} ORDER BY id DESC LIMIT $last) ORDER BY id`,
    )
    .all(animalId === undefined ? { last } : { animalId, last })
    .map(correctionOf);
}

export function keepCorrections(database: Database, corrections: readonly Correction[]): void {
  insertRows(database, "stock_correction", CORRECTION_COLUMNS, corrections);
}
