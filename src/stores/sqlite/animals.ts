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
 * Finds animals, their integers as numbers. Where one is past what a number keeps exactly, which is rare, the same is
 * asked for again as bigints: to make these for every page takes a sixth of it.
 */
class AnimalQuery {
  readonly #quick: Statement<ReadAnimal, Value[]>;
  readonly #exact: Statement<ReadAnimal, Value[]>;

  constructor(database: Database, condition: string) {
    const text = `SELECT ${COLUMNS} FROM animal WHERE ${condition}`;
    this.#quick = database.prepare<ReadAnimal, Value[]>(text).safeIntegers(false);
    this.#exact = database.prepare<ReadAnimal, Value[]>(text).safeIntegers(true);
  }

  run(...parameters: Value[]): ReadAnimal[] {
    const animals = this.#quick.all(...parameters);
    return animals.every(isExact) ? animals : this.#exact.all(...parameters);
  }
}

function isExact({ id, categoryId }: ReadAnimal): boolean {
  return Number.isSafeInteger(id) && Number.isSafeInteger(categoryId);
}
