import type { NewAnimal, Status } from "../domain/animal.ts";

/** Names as people give them, in the scripts that they write them in. */
const NAMES =
  "Luna Rex Mia Bella Simba Nala Otto Fenja Chouchou Bigotes Łatek Žofka Ágúst Çakıl Đốm Мурка Барсик Рудий " +
  "Γάτος Ζουζού שוקו לולה ميشو فلفل शेरू मोती ছোটু டைகர் ขนมปัง មាស 小白 豆豆 旺财 ポチ たま 나비 초코 თეთრა Շունիկ 🐢 🦜";
const TITLES = ["", "", "", "", " II", " the Bold", " of Hill House", " y Sombra", " 二世", " Jr."];
const KINDS = NAMES.split(" ");
const CATEGORIES = 40;
/** Of ten animals so many are sold, pending and available. */
const STATUSES: readonly Status[] = [
  ...Array<Status>(3).fill("sold"),
  "pending",
  ...Array<Status>(6).fill("available"),
];

/** Makes up animals, the same for the same seed, without end. */
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

/** Whole numbers of 32 bits that look like chance: splitmix32. */
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
