import type { Animal, NewAnimal } from "./animal.ts";
import { animalStatusUnder, type Order } from "./order.ts";

/** What an operator changes of an animal. An absent member stays unchanged, and `null` takes one away that it may lack. */
export type AnimalChange = {
  readonly [Member in keyof NewAnimal]?:
    | NewAnimal[Member]
    | (undefined extends NewAnimal[Member] ? null : never)
    | undefined;
};

/** Who makes a correction, and when. */
export interface CorrectionSource {
  readonly by: string;
  /** Milliseconds since 1970. */
  readonly at: number;
}

/** An animal that an operator has changed or removed. */
export interface Correction extends CorrectionSource {
  readonly before: Animal;
  /** `undefined` if the animal was removed. */
  readonly after: Animal | undefined;
}

/** Selects the latest corrections, of one animal or of all. */
interface CorrectionQuery {
  readonly animalId: bigint | undefined;
  readonly last: number;
}

/** The store lacks some of the animals to correct; nothing was corrected. */
export class UnknownAnimals extends Error {
  readonly ids: readonly bigint[];

  constructor(ids: readonly bigint[]) {
    super(`there is no animal ${ids.join(", ")}`);
    this.name = "UnknownAnimals";
    this.ids = ids;
  }
}

/** The parts of an order that decide whether a correction is allowed. */
export type OrderInTheWay = Pick<Order, "id" | "petId" | "status">;

/** Orders do not allow the corrections; nothing was corrected. */
export class OrdersInTheWay extends Error {
  readonly orders: readonly OrderInTheWay[];

  constructor(orders: readonly OrderInTheWay[]) {
    super(`orders ${orders.map(({ id }) => id).join(", ")} are in the way`);
    this.name = "OrdersInTheWay";
    this.orders = orders;
  }
}

/** Corrects the stock, and keeps a record of each correction in the same transaction. */
export interface Corrections {
  /**
   * Changes or removes animals: all of them, or none.
   *
   * @param ids in ascending order, without duplicates
   * @returns the corrections that were made, in the same order; animals that already agree are left out
   * @throws UnknownAnimals
   * @throws OrdersInTheWay
   */
  correct(
    ids: readonly bigint[],
    change: AnimalChange | "remove",
    source: CorrectionSource,
  ): Promise<Correction[]>;
  /** The latest corrections, oldest first. */
  list(query: CorrectionQuery): Promise<Correction[]>;
}

/** The corrections that a change requires, without animals that already agree. */
export function correctionsOf(
  animals: readonly Animal[],
  change: AnimalChange | "remove",
  source: CorrectionSource,
): Correction[] {
  return animals.flatMap((before) => {
    if (change === "remove") return { ...source, before, after: undefined };
    const given = Object.entries(change).flatMap(([member, value]: [string, unknown]) =>
      value === undefined ? [] : [[member, value ?? undefined]],
    );
    const after: Animal = { ...before, ...Object.fromEntries(given) };
    return isSame(before, after) ? [] : { ...source, before, after };
  });
}

/** Whether a correction changes the animal's status, which the feed reports. */
export function changesStatus({ before, after }: Correction): boolean {
  return after !== undefined && after.status !== before.status;
}

/** @throws UnknownAnimals if `found` lacks one of the animals */
export function assertFound(ids: readonly bigint[], found: readonly Animal[]): void {
  const known = new Set(found.map(({ id }) => id));
  const unknown = ids.filter((id) => !known.has(id));
  if (unknown.length > 0) throw new UnknownAnimals(unknown);
}

/**
 * Asserts that orders allow corrections: an animal with an open or delivered order keeps the status that the order gives
 * it, and an animal with any order cannot be removed.
 *
 * @param orders the orders of these animals
 * @throws OrdersInTheWay
 */
export function assertOrdersAllow(
  corrections: readonly Correction[],
  orders: readonly OrderInTheWay[],
): void {
  const outcomes = new Map(corrections.map(({ before, after }) => [before.id, after]));
  const inTheWay = orders.filter(({ petId, status }) => {
    if (!outcomes.has(petId)) return false;
    const after = outcomes.get(petId);
    const wanted = animalStatusUnder(status);
    return after === undefined || (wanted !== undefined && wanted !== after.status);
  });
  if (inTheWay.length > 0) throw new OrdersInTheWay(inTheWay);
}

/** Whether two states of an animal agree. */
export function isSame(one: Animal, other: Animal): boolean {
  return Bun.deepEquals(one, other);
}
