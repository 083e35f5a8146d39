import type { Animal, Status } from "../../domain/animal.ts";
import { boundOf, LIMIT_MAX, type Page, type PageQuery, pageOf } from "../../domain/page.ts";
import type { AnimalReads } from "../../domain/store.ts";
import { ANIMAL } from "../tables.ts";
import type { ReadBatcher } from "./read-batcher.ts";

/**
 * A statement for each status and order. Planning a page costs as much as reading it, so each statement has one generic plan.
 *
 * The inner limit tells the planner how few rows are needed. For a limit in a parameter it assumes a tenth of the table,
 * a cost at which servers with JIT would compile the statement.
 */
const LISTS = {
  id: {
    all: listText("id > $1 ORDER BY id"),
    available: listText(ofStatus("available")),
    pending: listText(ofStatus("pending")),
    sold: listText(ofStatus("sold")),
  },
  "-id": {
    all: listText("id <= $1 ORDER BY id DESC"),
    available: listText(newestOfStatus("available")),
    pending: listText(newestOfStatus("pending")),
    sold: listText(newestOfStatus("sold")),
  },
} as const;

const FIND = `SELECT ${ANIMAL.selection} FROM animal_store.animal WHERE id = $1`;

function listText(conditionAndOrder: string): string {
  return `SELECT * FROM (
            SELECT ${ANIMAL.selection} FROM animal_store.animal
             WHERE ${conditionAndOrder} LIMIT ${LIMIT_MAX + 1}
          ) AS longest LIMIT $2`;
}

/** A range of the index by status. No other index has this order, so the planner cannot choose another. */
function ofStatus(status: Status): string {
  return `(status, id) > ('${status}', $1) AND status <= '${status}' ORDER BY status, id`;
}

/** The same range, walked backward. */
function newestOfStatus(status: Status): string {
  return `(status, id) <= ('${status}', $1) AND status >= '${status}' ORDER BY status DESC, id DESC`;
}

/** Reads animals. The text of every statement is constant, since the connection keeps each as a prepared statement. */
export class Animals {
  readonly #reads: ReadBatcher;

  constructor(reads: ReadBatcher) {
    this.#reads = reads;
  }

  reads(): AnimalReads {
    return {
      listAnimals: (query) => this.#list(query),
      findAnimal: (id) => this.#find(id),
    };
  }

  async #list({ status, sort = "id", after, limit }: PageQuery): Promise<Page<Animal>> {
    const rows = await this.#reads.run<Animal[]>(
      (sql) => sql.unsafe(LISTS[sort][status ?? "all"], [boundOf(sort, after), limit + 1]),
      { holdsDespiteAppends: (rows) => sort === "id" && rows.length > limit },
    );
    return pageOf(ANIMAL.parseAll(rows), limit);
  }

  async #find(id: bigint): Promise<Animal | undefined> {
    const rows = await this.#reads.run<Animal[]>((sql) => sql.unsafe(FIND, [id]), {
      holdsDespiteAppends: (rows) => rows.length > 0,
    });
    return ANIMAL.parseAll(rows)[0];
  }
}
