import type { Animal, Status } from "../../domain/animal.ts";
import { LIMIT_MAX, type Page, type PageQuery, pageOf } from "../../domain/page.ts";
import type { ReadBatcher } from "./read-batcher.ts";

/**
 * A text for each status. To plan a page costs as much as to read it, so each is planned once, whatever its
 * parameters.
 *
 * The inner limit tells the planner how few rows are wanted at most. Of a limit that is a parameter it assumes a
 * tenth of the table: a cost for which servers with JIT compile the statement.
 */
const LISTS = {
  all: listText("id > $1 ORDER BY id"),
  available: listText(ofStatus("available")),
  pending: listText(ofStatus("pending")),
  sold: listText(ofStatus("sold")),
} as const;

function listText(conditionAndOrder: string): string {
  return `SELECT * FROM (
            SELECT id, name, category_id AS "categoryId", status FROM animal_store.animal
             WHERE ${conditionAndOrder} LIMIT ${LIMIT_MAX + 1}
          ) AS longest LIMIT $2`;
}

/** As a range of the index by status: only that has this order, so the planner is not tempted by another. */
function ofStatus(status: Status): string {
  return `(status, id) > ('${status}', $1) AND status <= '${status}' ORDER BY status, id`;
}

/** Reads the stock. Every statement's text is fixed, since each is prepared and kept. */
export class Animals {
  readonly #reads: ReadBatcher;

  constructor(reads: ReadBatcher) {
    this.#reads = reads;
  }

  async list({ status, after, limit }: PageQuery): Promise<Page<Animal>> {
    const rows = await this.#reads.run<Animal[]>((sql) =>
      sql.unsafe(LISTS[status ?? "all"], [after, limit + 1]),
    );
    return pageOf(rows, limit);
  }

  async find(id: bigint): Promise<Animal | undefined> {
    const [animal] = await this.#reads.run<Animal[]>(
      (sql) =>
        sql`SELECT id, name, category_id AS "categoryId", status FROM animal_store.animal WHERE id = ${id}`,
    );
    return animal;
  }
}
