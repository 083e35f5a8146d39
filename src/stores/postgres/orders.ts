import {
  type Included,
  ORDER_STATUSES,
  type Order,
  type OrderQuery,
  type ReadOrder,
} from "../../domain/order.ts";
import { boundOf, LIMIT_MAX, type Page, pageOf, type Sort } from "../../domain/page.ts";
import type { RowOf } from "../table.ts";
import { ORDER, readOrderOf, withPet } from "../tables.ts";
import type { ReadBatcher } from "./read-batcher.ts";
import type { StandbyRule } from "./standbys/standby-reads.ts";

const TABLE_OF_PETS = "animal_store.animal";

const FIND = `SELECT ${ORDER.selection} FROM animal_store.store_order WHERE id = $1`;
const FIND_WITH_PET = withPet(FIND, TABLE_OF_PETS);

/**
 * A statement for each range of an index, which has its order, so that the planner cannot choose another index. Orders of an
 * animal are one range for each status: an index without the status would cost every order a write. The inner limit tells
 * the planner how few rows are needed, as for animals.
 */
const LISTS = {
  id: {
    all: listText("id > $1 ORDER BY id"),
    byStatus: listText("(status, id) > ($3::text, $1) AND status <= $3::text ORDER BY status, id"),
    byAnimal: byAnimalText("(status, id) > (wanted.status, $1) AND status <= wanted.status", ""),
  },
  "-id": {
    all: listText("id <= $1 ORDER BY id DESC"),
    byStatus: listText("(status, id) <= ($3::text, $1) AND status >= $3::text ORDER BY status DESC, id DESC"),
    byAnimal: byAnimalText("(status, id) <= (wanted.status, $1) AND status >= wanted.status", "DESC"),
  },
} as const;

const LISTS_WITH_PET = {
  id: eachWithPet(LISTS.id, ""),
  "-id": eachWithPet(LISTS["-id"], "DESC"),
} as const;

/** Every change of an order counts as a rewrite, and so does every change of an animal that has one. */
const ON_STANDBY: StandbyRule<RowOf<Order>[]> = { holdsDespiteAppends: () => true };

function listText(conditionAndOrder: string): string {
  return `SELECT * FROM (
            SELECT ${ORDER.selection} FROM animal_store.store_order
             WHERE ${conditionAndOrder} LIMIT ${LIMIT_MAX + 1}
          ) AS longest LIMIT $2`;
}

function eachWithPet(
  lists: (typeof LISTS)[Sort],
  direction: "" | "DESC",
): Record<keyof typeof lists, string> {
  const { all, byStatus, byAnimal } = lists;
  const joined = (text: string) => withPet(text, TABLE_OF_PETS, direction);
  return { all: joined(all), byStatus: joined(byStatus), byAnimal: joined(byAnimal) };
}

function byAnimalText(range: string, direction: "" | "DESC"): string {
  const ofStatus = listText(
    `animal_id = $3::bigint AND ${range} ORDER BY status ${direction}, id ${direction}`,
  );
  return `
    SELECT each.* FROM unnest($4::text[]) AS wanted (status), LATERAL (${ofStatus}) AS each
     ORDER BY id ${direction} LIMIT $2`;
}

/** Reads the orders. */
export class Orders {
  readonly #reads: ReadBatcher;

  constructor(reads: ReadBatcher) {
    this.#reads = reads;
  }

  async list({ status, petId, sort = "id", after, limit, include }: OrderQuery): Promise<Page<ReadOrder>> {
    const lists = (include ? LISTS_WITH_PET : LISTS)[sort];
    const rows = await this.#reads.runApart<RowOf<Order>[]>((sql) => {
      const page = [boundOf(sort, after), limit + 1];
      if (petId === undefined) {
        return status === undefined
          ? sql.unsafe(lists.all, page)
          : sql.unsafe(lists.byStatus, [...page, status]);
      }
      const statuses = status === undefined ? ORDER_STATUSES : [status];
      return sql.unsafe(lists.byAnimal, [...page, petId, sql.array([...statuses], "TEXT")]);
    }, ON_STANDBY);
    return pageOf(rows.map(readOrderOf), limit);
  }

  async find(id: bigint, include?: Included): Promise<ReadOrder | undefined> {
    const text = include ? FIND_WITH_PET : FIND;
    const [row] = await this.#reads.runApart<RowOf<Order>[]>((sql) => sql.unsafe(text, [id]), ON_STANDBY);
    return row && readOrderOf(row);
  }
}
