/** A power of two, for some quarter of a megabyte. */
const SLOTS = 65_536;

/**
 * Tells whether something was asked for before, not too long ago; now and then it is wrong. It takes the
 * same small memory whatever is asked.
 */
export class AskedBefore {
  /** The last hash that fell on each slot. */
  readonly #hashes = new Uint32Array(SLOTS);

  /** Whether it was, and from now on it is. */
  note(what: string): boolean {
    const hash = Bun.hash.xxHash32(what);
    const slot = hash % SLOTS;
    const known = this.#hashes[slot] === hash;
    this.#hashes[slot] = hash;
    return known;
  }
}
