import type { OrderInTheWay } from "../../../domain/correction.ts";
import type { ObservationSink } from "../../../observations/observation.ts";
import type { BulkAnimals, BulkDatabase, BulkOrders } from "../../bulk/bulk-database.ts";
import { closeOnRejection } from "../../close-on-failure.ts";
import { type Column, namesOf, withoutId } from "../../table.ts";
import { ANIMAL, ORDER } from "../../tables.ts";
import { arraysOf, column } from "../columns.ts";
import { isRefusal } from "../errors.ts";
import {
  continueFeed,
  expirePositions,
  feedStatus,
  recordCreatedAnimals,
  recordStatusChanges,
} from "./events.ts";
import { BulkSession } from "./session.ts";
import { stagedRows } from "./staged-rows.ts";

const LOCK_IDS = {
  animal: "SELECT animal_store.lock_animal_ids() AS last",
  store_order: "SELECT animal_store.lock_order_ids() AS last",
};

/** @param emit receives an event if the work has to wait for others */
export async function openBulkDatabase(url: string, emit: ObservationSink): Promise<BulkDatabase> {
  const session = await BulkSession.open(url, emit);
  const rows = session.rows.bind(session);
  const idOf = async (text: string) => (await rows<{ last: bigint }>(text))[0]?.last ?? 0n;
  return {
    name: "the database",
    schema: "animal_store.",
    byteOrder: 'COLLATE "C"',
    rewrites: "SELECT number FROM animal_store.rewrite_log ORDER BY number DESC LIMIT 1",
    async countRewrite() {
      await rows("SELECT animal_store.lock_rewrites()");
      await rows("INSERT INTO animal_store.rewrite_log DEFAULT VALUES");
    },
    smallBatch: 10_000,
    rows,
    insert: (table, columns, items, onConflict) => insertRows(session, table, columns, items, onConflict),
    ids: {
      last: (table) =>
        idOf(
          `SELECT CASE WHEN is_called THEN last_value ELSE 0 END AS last FROM animal_store.${table}_id_seq`,
        ),
      lock: (table) => idOf(LOCK_IDS[table]),
      async raise(table, id) {
        if (id === 0n) return;
        const sequence = `animal_store.${table}_id_seq`;
        const text = `SELECT setval('${sequence}', greatest(last_value, $1::bigint)) FROM ${sequence}`;
        await rows(text, [id]);
      },
    },
    animals: bulkAnimals(session),
    orders: bulkOrders(session),
    feed: {
      status: () => feedStatus(session),
      animalsAdded: (from, to, at) => recordCreatedAnimals(session, from, to, at),
      statusesChanged: (ids, at) => recordStatusChanges(session, ids, at),
      expirePositions: () => expirePositions(session),
      continueAfter: (newestId, recording) => continueFeed(session, newestId, recording),
      async stopRecording() {
        await rows("SELECT animal_store.record_events(false)");
      },
    },
    staged: stagedRows(session),
    transaction: (work) => session.transaction(work),
    isRefusal,
    async beginSnapshot() {
      const separate = await openBulkDatabase(url, emit);
      await closeOnRejection(separate, async () =>
        separate.rows("BEGIN ISOLATION LEVEL REPEATABLE READ, READ ONLY"),
      );
      return separate;
    },
    close: () => session.close(),
  };
}

/** Inserts rows with one statement, whatever the table says of its ids. */
async function insertRows<Row>(
  session: BulkSession,
  table: string,
  columns: readonly Column<Row>[],
  rows: readonly Row[],
  onConflict = "",
): Promise<void> {
  const text = `
    INSERT INTO ${table} (${namesOf(columns)}) OVERRIDING SYSTEM VALUE SELECT * FROM ${unnested(columns)} ${onConflict}`;
  await session.run((sql) => sql.unsafe(text, arraysOf(sql, columns, rows)));
}

/** Rows, which come as an array for each column. */
function unnested(columns: readonly Column<never>[]): string {
  return `unnest(${columns.map(({ type }, at) => `$${at + 1}::${type}[]`).join(", ")})`;
}

const LOCK_ANIMALS = `
  SELECT ${ANIMAL.selection} FROM animal_store.animal WHERE id = ANY ($1::bigint[]) ORDER BY id FOR UPDATE`;

const UPDATE_ANIMALS = `
  UPDATE animal_store.animal AS animal SET ${withoutId(ANIMAL.columns).map(({ name }) => `${name} = new.${name}`)}
    FROM ${unnested(ANIMAL.columns)} AS new (${namesOf(ANIMAL.columns)}) WHERE animal.id = new.id`;

function bulkAnimals(session: BulkSession): BulkAnimals {
  return {
    add: (animals) => insertRows(session, "animal_store.animal", ANIMAL.columns, animals),
    // In the order of the ids, so that two operators who correct the same animals never deadlock.
    lock: async (ids) =>
      ANIMAL.parseAll(
        await session.run<object[]>((sql) => sql.unsafe(LOCK_ANIMALS, [column(sql, ids, String)])),
      ),
    async update(animals) {
      if (animals.length === 0) return;
      await session.run((sql) => sql.unsafe(UPDATE_ANIMALS, arraysOf(sql, ANIMAL.columns, animals)));
    },
    async remove(ids) {
      if (ids.length === 0) return;
      await session.run(
        (sql) => sql`DELETE FROM animal_store.animal WHERE id = ANY (${column(sql, ids, String)}::bigint[])`,
      );
    },
  };
}

function bulkOrders(session: BulkSession): BulkOrders {
  return {
    async add(chunks) {
      for (const chunk of chunks) {
        await insertRows(session, "animal_store.store_order", ORDER.columns, chunk);
      }
    },
    ofAnimals: (ids) =>
      session.run<OrderInTheWay[]>(
        (sql) => sql`
          SELECT id, animal_id AS "petId", status FROM animal_store.store_order
           WHERE animal_id = ANY (${column(sql, ids, String)}::bigint[]) ORDER BY animal_id, id`,
      ),
  };
}
