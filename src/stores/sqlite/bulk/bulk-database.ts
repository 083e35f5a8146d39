import type { Database } from "bun:sqlite";
import type { Animal } from "../../../domain/animal.ts";
import type { EventSink } from "../../../domain/event.ts";
import type { MaybePromise } from "../../../domain/maybe-promise.ts";
import type { Order } from "../../../domain/order.ts";
import { NEW_ANIMAL_COLUMNS } from "../../animal-columns.ts";
import type { BulkDatabase, Parameter } from "../../bulk/bulk-database.ts";
import { closeOnFailure } from "../../close-on-failure.ts";
import { type Column, ID, namesOf } from "../../column.ts";
import { NEW_ORDER_COLUMNS } from "../../order-row.ts";
import { addStoredKey } from "../api-keys.ts";
import { attempt, connect } from "../connection.ts";
import { isRefusal } from "../errors.ts";
import { EventLog } from "../event-log.ts";
import { continueFeed, expirePositions, feedStatus, setRecording } from "../feed.ts";
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
  emit: EventSink,
): BulkDatabase {
  const rows = <Row>(text: string, parameters: Parameter[] = []): Row[] =>
    attempt(database, () => database.query<Row, Parameter[]>(text).all(...parameters));
  const insert = <Row>(
    table: string,
    columns: readonly Column<Row>[],
    items: readonly Row[],
    onConflict = "",
  ) =>
    attempt(database, () => {
      const marks = columns.map(() => "?").join(", ");
      const text = `INSERT INTO ${table} (${namesOf(columns)}) VALUES (${marks}) ${onConflict}`;
      const statement = database.query(text);
      const values = columns.map(({ value }) => value);
      database.transaction(() => {
        for (const item of items) statement.run(...values.map((value) => value(item)));
      })();
    });
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
  return {
    name: file,
    schema: "",
    // The order of SQLite's texts. An explicit COLLATE would keep it from searching an index by a pair of columns.
    byteOrder: "",
    rewrites: "SELECT rewrites AS number FROM revision",
    smallBatch: 50_000,
    rows,
    insert,
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
            insert<Animal>("animal", [ID, ...NEW_ANIMAL_COLUMNS], animals),
          ),
        ),
      lock: (ids) =>
        ids.flatMap((id) =>
          rows("SELECT id, name, category_id AS categoryId, status FROM animal WHERE id = ?", [id]),
        ),
      update(animals) {
        const text = "UPDATE animal SET name = ?, category_id = ?, status = ? WHERE id = ?";
        for (const { id, name, categoryId, status } of animals) rows(text, [name, categoryId, status, id]);
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
            for (const chunk of chunks) insert<Order>("store_order", [ID, ...NEW_ORDER_COLUMNS], chunk);
          }),
        );
        database.run("UPDATE revision SET rewrites = rewrites + 1");
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
    addKey: (key) => addStoredKey(database, key),
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
