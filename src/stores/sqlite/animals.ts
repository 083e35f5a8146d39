import type { Database, Statement } from "bun:sqlite";
import type { ReadAnimal } from "../../domain/animal.ts";
import type { Page, PageQuery } from "../../domain/page.ts";

type Value = bigint | number | string;

const COLUMNS = "id, name, category_id AS categoryId, status";

/** Reads the stock. A read takes microseconds and never waits: in WAL mode no writer stops it. */
export class AnimalReader {
  readonly #all: AnimalQuery;
  readonly #byStatus: AnimalQuery;
  readonly #one: AnimalQuery;

  constructor(database: Database) {
    // SQLite plans by the values of an equality and of a limit, and so plans again, for a third of the time
    // of a page, each time when they are bound anew. The plus, which does nothing else, keeps it from that.
    this.#all = new AnimalQuery(database, "id > ? ORDER BY id LIMIT +?");
    this.#byStatus = new AnimalQuery(database, "status = +? AND id > ? ORDER BY id LIMIT +?");
    this.#one = new AnimalQuery(database, "id = ?");
  }

  list({ status, after, limit }: PageQuery): Page {
    // One more than asked for tells whether more follow.
    const animals =
      status === undefined ? this.#all.run(after, limit + 1) : this.#byStatus.run(status, after, limit + 1);
    const more = animals.length > limit;
    if (more) animals.pop();
    return { animals, more };
  }

  find(id: bigint): ReadAnimal | undefined {
    return this.#one.run(id)[0];
  }
}

/**
 * Finds animals, their integers as numbers: to make bigints for every page takes a sixth of it. From the first on that
 * is past what a number keeps exactly, they are bigints; where there is one, there mostly are others.
 */
class AnimalQuery {
  readonly #statement: Statement<ReadAnimal, Value[]>;
  #exact = false;

  constructor(database: Database, condition: string) {
    const text = `SELECT ${COLUMNS} FROM animal WHERE ${condition}`;
    this.#statement = database.prepare<ReadAnimal, Value[]>(text).safeIntegers(this.#exact);
  }

  run(...parameters: Value[]): ReadAnimal[] {
    const animals = this.#statement.all(...parameters);
    if (this.#exact || animals.every(isExact)) return animals;
    this.#exact = true;
    return this.#statement.safeIntegers(true).all(...parameters);
  }
}

function isExact({ id, categoryId }: ReadAnimal): boolean {
  return Number.isSafeInteger(id) && Number.isSafeInteger(categoryId);
}
