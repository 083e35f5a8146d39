/**
 * A seeded random source: the same seed and stream give the same choices. The methods for choices are bound, so that
 * they can be taken apart: `const { chance, pick } = random`.
 */
export class Random {
  #a: number;
  #b: number;
  #c: number;
  #counter = 1;

  /** @param stream distinguishes clients that choose at the same time */
  constructor(seed: number, stream: number) {
    this.#a = seed | 0;
    this.#b = Math.floor(seed / 2 ** 32) | 0;
    this.#c = stream | 0;
    for (let round = 0; round < 20; round++) this.#next();
  }

  /** A whole number from 0, below a limit. */
  readonly below = (limit: number): number => Math.floor((this.#next() / 2 ** 32) * limit);

  readonly between = (least: number, greatest: number): number => least + this.below(greatest - least + 1);

  readonly chance = (probability: number): boolean => this.#next() < probability * 2 ** 32;

  readonly pick = <Item>(items: readonly Item[]): Item => items[this.below(items.length)] as Item;

  /** One of them, each as likely as its weight. */
  readonly weighted = <Item>(items: readonly (readonly [weight: number, item: Item])[]): Item => {
    let at = this.below(items.reduce((sum, [weight]) => sum + weight, 0));
    for (const [weight, item] of items) {
      if (at < weight) return item;
      at -= weight;
    }
    throw new Error("no item has a weight");
  };

  bytes(length: number): Buffer {
    const bytes = Buffer.alloc(length);
    for (let at = 0; at < length; at++) bytes[at] = this.below(256);
    return bytes;
  }

  /** sfc32, by Chris Doty-Humphrey (PractRand). */
  #next(): number {
    const sum = (this.#a + this.#b + this.#counter) | 0;
    this.#counter = (this.#counter + 1) | 0;
    this.#a = this.#b ^ (this.#b >>> 9);
    this.#b = (this.#c + (this.#c << 3)) | 0;
    this.#c = ((this.#c << 21) | (this.#c >>> 11)) + sum;
    this.#c |= 0;
    return sum >>> 0;
  }
}
