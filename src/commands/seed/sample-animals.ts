import { type NewAnimal, OPTIONAL_EXAMPLES, type Status } from "../../domain/animal.ts";
import type { Order } from "../../domain/order.ts";
import { pseudoRandom } from "../../domain/pseudo-random.ts";

/** Names that people give to animals, in many scripts. */
const NAMES =
  "Luna Rex Mia Bella Simba Nala Otto Fenja Chouchou Bigotes Łatek Žofka Ágúst Çakıl Đốm Мурка Барсик Рудий " +
  "Γάτος Ζουζού שוקו לולה ميشو فلفل शेरू मोती ছোটু டைகர் ขนมปัง មាស 小白 豆豆 旺财 ポチ たま 나비 초코 თეთრა Շունիկ 🐢 🦜";
const TITLES = ["", "", "", "", " II", " the Bold", " of Hill House", " y Sombra", " 二世", " Jr."];
const KINDS = NAMES.split(" ");
const CATEGORIES = 40;
/** Of ten animals, three are sold, one is pending and six are available. */
const STATUSES: readonly Status[] = [
  ...Array<Status>(3).fill("sold"),
  "pending",
  ...Array<Status>(6).fill("available"),
];

/** Invents animals without end. The same seed gives the same animals. */
export function* inventAnimals(seed: number): Generator<NewAnimal> {
  const random = pseudoRandom(seed);
  const one = <Item>(items: readonly Item[]) => items[random() % items.length] as Item;
  for (;;) {
    const name = `${one(KINDS)}${one(TITLES)}`;
    const category = 1 + (random() % CATEGORIES);
    // Those of every second category have what an animal may lack.
    const others = category % 2 === 0 ? OPTIONAL_EXAMPLES : {};
    yield { name, categoryId: BigInt(category), status: one(STATUSES), ...others };
  }
}

/** About when the first sample order is placed; the last one is placed half a year later. */
const FIRST_ORDER_AT = Date.UTC(2026, 0, 5, 9);
const SPAN_MS = 180 * 24 * 3_600_000;
const DAY_MS = 24 * 3_600_000;

/**
 * Invents the orders of sample animals: a pending animal has an open order, most sold animals have a delivered one, and some
 * animals have an earlier order that was cancelled. The same seed and count give the same animals and orders.
 *
 * @param firstId the id of the first animal; the others follow without gaps
 */
export function* inventOrders(seed: number, count: number, firstId: bigint): Generator<Omit<Order, "id">> {
  const animals = inventAnimals(seed);
  const random = pseudoRandom(~seed);
  const oneIn = (many: number) => random() % many === 0;
  for (let index = 0; index < count; index++) {
    const { status } = animals.next().value as NewAnimal;
    const petId = firstId + BigInt(index);
    const placedAt = FIRST_ORDER_AT + Math.floor((SPAN_MS * index) / count);
    const later = () => placedAt + (random() % DAY_MS);
    if (oneIn(12)) yield { petId, status: "cancelled", placedAt: placedAt - DAY_MS, updatedAt: placedAt };
    if (status === "pending") {
      const approved = oneIn(2);
      const updatedAt = approved ? later() : placedAt;
      yield { petId, status: approved ? "approved" : "placed", placedAt, updatedAt };
    } else if (status === "sold" && !oneIn(8)) {
      yield { petId, status: "delivered", placedAt, updatedAt: later() };
    }
  }
}
