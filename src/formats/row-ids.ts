import { IMPORTED_ID_MAX } from "../domain/transfer.ts";

/** What to do with the ids in a file: keep them, or assign new ones. */
export const ID_CHOICES = ["keep", "new"] as const;
export type IdChoice = (typeof ID_CHOICES)[number];

export const ID_RULE = `must be an integer from 1 to ${IMPORTED_ID_MAX}`;

/** Whether a value is an id that may be imported. */
export function isId(value: unknown): value is bigint {
  return typeof value === "bigint" && value > 0n && value <= IMPORTED_ID_MAX;
}

/** The ids of one file's rows: ids to keep must ascend, and either all rows have one or none has. */
export class RowIds {
  readonly #choice: IdChoice;
  #lastId = 0n;
  #withIds: boolean | undefined;

  constructor(choice: IdChoice) {
    this.#choice = choice;
  }

  /** Returns the item to import, with the id of its row unless new ids are assigned, or what is wrong with the id. */
  take<Item extends { readonly id?: bigint }>(id: bigint | undefined, item: Item): Item | string {
    if (this.#choice === "new") return item;
    this.#withIds ??= id !== undefined;
    if (this.#withIds && id === undefined) return "`id` is required, since the earlier rows have one";
    if (id === undefined) return item;
    if (!this.#withIds) return "`id` must be left out, since the earlier rows have none";
    if (id <= this.#lastId) return `\`id\` must be above ${this.#lastId}, the id of an earlier row`;
    this.#lastId = id;
    return { id, ...item };
  }
}
