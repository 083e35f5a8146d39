import type { Database } from "bun:sqlite";
import type { MaybePromise } from "../../../domain/maybe-promise.ts";
import type { ObservationSink } from "../../../observations/observation.ts";
import type { BulkDatabase, Parameter } from "../../bulk/bulk-database.ts";
import { closeOnFailure } from "../../close-on-failure.ts";
import { valuesOf, withoutId } from "../../table.ts";
import { ANIMAL, ORDER } from "../../tables.ts";
import { attempt, connect } from "../connection.ts";
import { isRefusal } from "../errors.ts";
import { EventLog } from "../event-log.ts";
import { continueFeed, expirePositions, feedStatus, setRecording } from "../events.ts";
import { insertRows } from "../insert-rows.ts";
import type { OpenedFiles } from "../opened-files.ts";
import { lastIdOf, raiseLastId } from "../sequence.ts";
import { withoutTrigger } from "../without-trigger.ts";
import { changeInTurn } from "../write-turn.ts";
import { NEEDLESS_TRIGGER, stagedRows } from "./staged-rows.ts";

/**
 * @param file the file that the database was opened from
 * @param files its identity, which is checked before and after each transaction
 * @param emit receives an event if a transaction has to wait for the write lock
 */
export function sqliteBulkDatabase(
  database: Database,
  file: string,
  files: OpenedFiles,
  emit: ObservationSink,
): BulkDatabase {
  const rows = <Row>(text: string, parameters: Parameter[] = []): Row[] =>
    attempt(database, () => database.query<Row, Parameter[]>(text).all(...parameters));
  const transaction = async <Result>(work: () => MaybePromise<Result>): Promise<Result> => {
    const workAlone = () => {
      files.assertLocksShared();
      return work();
    };
    const result = await changeInTurn(database, workAlone, emit);
    files.assertCommitted();
    return result;
  };
  const ifRecording = (record: (log: EventLog) => void) => {
    const log = new EventLog(database);
    if (log.isRecording()) record(log);
  };
  const countRewrite = () => {
    database.run("UPDATE revision SET rewrites = rewrites + 1");
  };
  return {
    name: file,
    schema: "",
    // The order of SQLite's texts. An explicit COLLATE would keep it from searching an index by a pair of columns.
    byteOrder: "",
    rewrites: "SELECT rewrites AS number FROM revision",
    countRewrite,
    smallBatch: 50_000,
    rows,
    insert: (table, columns, items, onConflict) => insertRows(database, table, columns, items, onConflict),
    ids: {
      last: (table) => attempt(database, () => lastIdOf(database, table)),
      // The transaction holds the write lock.
      lock: (table) => lastIdOf(database, table),
      raise: (table, id) => raiseLastId(database, table, id),
    },
    animals: {
      add: (animals) =>
        transaction(() =>
          withoutTrigger(database, NEEDLESS_TRIGGER, () =>
            insertRows(database, "animal", ANIMAL.columns, animals),
          ),
        ),
      lock: (ids) =>
        ANIMAL.parseAll(
          ids.flatMap((id) => rows<object>(`SELECT ${ANIMAL.selection} FROM animal WHERE id = ?`, [id])),
        ),
      update(animals) {
        const changed = withoutId(ANIMAL.columns);
        const text = `UPDATE animal SET ${changed.map(({ name }) => `${name} = ?`)} WHERE id = ?`;
        for (const animal of animals) rows(text, [...valuesOf(changed, animal), animal.id]);
      },
      remove(ids) {
        for (const id of ids) rows("DELETE FROM animal WHERE id = ?", [id]);
      },
    },
    orders: {
      // The triggers ensure that orders agree with their animals, and cost three times as much as the insertion.
      add(chunks) {
        withoutTrigger(database, "store_order_insertion_checked", () =>
          withoutTrigger(database, "store_order_inserted", () => {
            for (const chunk of chunks) insertRows(database, "store_order", ORDER.columns, chunk);
          }),
        );
        countRewrite();
      },
      ofAnimals(ids) {
        const text = "SELECT id, animal_id AS petId, status FROM store_order WHERE animal_id = ? ORDER BY id";
        return ids.flatMap((id) => rows(text, [id]));
      },
    },
    feed: {
      status: () => attempt(database, () => feedStatus(database)),
      animalsAdded: (from, to, at) => ifRecording((log) => log.animalsCreated(from, to, at)),
      statusesChanged: (ids, at) =>
        ifRecording((log) => {
          for (const id of ids) log.animalStatusChanged(id, at);
        }),
      expirePositions: () => ifRecording(() => expirePositions(database)),
      continueAfter: (newestId, recording) => continueFeed(database, newestId, recording),
      stopRecording: () => setRecording(database, false),
    },
    staged: stagedRows(database, file, rows),
    transaction,
    isRefusal,
    async beginSnapshot() {
      const connection = connect(file);
      closeOnFailure(connection, () => connection.run("BEGIN"));
      return sqliteBulkDatabase(connection, file, files, emit);
    },
    async close() {
      database.close();
    },
  };
}
