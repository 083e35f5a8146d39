import type { NewAnimal, Status } from "../domain/animal.ts";

/** Names as people give them, in many scripts. */
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

/** Invents animals without end: the same ones for the same seed. */
export function* inventAnimals(seed: number): Generator<NewAnimal> {
  const random = numbers(seed);
  const one = <Item>(items: readonly Item[]) => items[random() % items.length] as Item;
  for (;;) {
    yield {
      name: `${one(KINDS)}${one(TITLES)}`,
      categoryId: BigInt(1 + (random() % CATEGORIES)),
      status: one(STATUSES),
    };
  }
}

/** Pseudo-random whole numbers of 32 bits: splitmix32. */
function numbers(seed: number): () => number {
  let state = seed | 0;
  return () => {
    state = (state + 0x9e3779b9) | 0;
    let mixed = state ^ (state >>> 16);
    mixed = Math.imul(mixed, 0x21f0aaad);
    mixed ^= mixed >>> 15;
    mixed = Math.imul(mixed, 0x735a2d97);
    return (mixed ^ (mixed >>> 15)) >>> 0;
  };
}
