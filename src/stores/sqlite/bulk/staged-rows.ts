import type { Database } from "bun:sqlite";
import { dirname, resolve } from "node:path";
import type { Parameter, StagedRows } from "../../bulk/bulk-database.ts";
import type { OrderedAnimal } from "../../bulk/order-problems.ts";
import { namesOf } from "../../table.ts";
import { attempt } from "../connection.ts";
import { isTransient } from "../errors.ts";
import { withoutTrigger } from "../without-trigger.ts";

/** A trigger that looks for ids that are not the highest. Copied and imported animals always have the highest. */
export const NEEDLESS_TRIGGER = "animal_inserted";

const CACHE_KIB = 64 * 1024;

const ORDERED_ANIMAL = `
  SELECT given.id, a.status, o.id AS orderId, o.status AS orderStatus,
         EXISTS (SELECT 1 FROM staged s WHERE s.animal_id = given.id AND s.status <> 'cancelled') AS staged
    FROM (SELECT ? AS id) AS given
    LEFT JOIN animal a ON a.id = given.id
    LEFT JOIN store_order o ON o.animal_id = given.id AND o.status <> 'cancelled'`;

interface Row extends Omit<OrderedAnimal, "staged"> {
  readonly staged: bigint;
}

type Rows = <Row>(text: string, parameters?: Parameter[]) => Row[];

/**
 * The temporary table. SQLite keeps it in an unnamed file beside the store, which disappears when this process ends, however
 * it ends.
 */
export function stagedRows(database: Database, file: string, rows: Rows): StagedRows {
  return {
    create: (columns, setUp) =>
      attempt(database, () => {
        // The disk of the store has space for its animals; /tmp may be small.
        database.run("PRAGMA temp_store = FILE");
        database.run(`PRAGMA temp_store_directory = '${dirname(resolve(file)).replaceAll("'", "''")}'`);
        database.run(`PRAGMA cache_size = ${-CACHE_KIB}`);
        database.transaction(() => {
          database.run(`CREATE TEMP TABLE staged (position INTEGER PRIMARY KEY, ${namesOf(columns)})`);
          if (setUp !== "") database.run(setUp);
        })();
      }),
    drop() {
      try {
        database.run("DROP TABLE staged");
      } catch (error) {
        // On a full disk; the table goes with the connection. The caller reports what failed before.
        if (!isTransient(error)) throw error;
      }
    },
    orderedAnimals: (ids) =>
      ids.flatMap((id) =>
        rows<Row>(ORDERED_ANIMAL, [id]).map((row) => ({ ...row, staged: row.staged > 0n })),
      ),
    // The transaction holds the write lock.
    lockAnimals: () => {},
    copy(table, text, parameters) {
      if (table === "animal") withoutTrigger(database, NEEDLESS_TRIGGER, () => rows(text, parameters));
      else rows(text, parameters);
    },
  };
}
