import type { Database, Statement } from "bun:sqlite";
import type { Animal, Status } from "../../domain/animal.ts";
import type { Page, PageQuery } from "../../domain/page.ts";

interface AnimalRow {
  readonly id: bigint;
  readonly name: string;
  readonly categoryId: bigint;
  readonly status: Status;
}

const COLUMNS = "id, name, category_id AS categoryId, status";

/** Reads the stock. A read takes microseconds and never waits: in WAL mode no writer stops it. */
export class AnimalReader {
  readonly #all: Statement<AnimalRow, [bigint, number]>;
  readonly #byStatus: Statement<AnimalRow, [Status, bigint, number]>;
  readonly #one: Statement<AnimalRow, [bigint]>;

  constructor(database: Database) {
    // SQLite plans by the values of an equality and of a limit, and so plans again, for a third of the time
    // of a page, each time when they are bound anew. The plus, which does nothing else, keeps it from that.
    this.#all = database.prepare(`SELECT ${COLUMNS} FROM animal WHERE id > ? ORDER BY id LIMIT +?`);
    this.#byStatus = database.prepare(
      `SELECT ${COLUMNS} FROM animal WHERE status = +? AND id > ? ORDER BY id LIMIT +?`,
    );
    this.#one = database.prepare(`SELECT ${COLUMNS} FROM animal WHERE id = ?`);
  }

  list({ status, after, limit }: PageQuery): Page {
    // One more than asked for tells whether more follow.
    const animals =
      status === undefined ? this.#all.all(after, limit + 1) : this.#byStatus.all(status, after, limit + 1);
    const more = animals.length > limit;
    if (more) animals.pop();
    return { animals, more };
  }

  find(id: bigint): Animal | undefined {
    return this.#one.get(id) ?? undefined;
  }
}
