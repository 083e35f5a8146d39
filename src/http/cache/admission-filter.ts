/** A power of two, for a quarter of a megabyte. */
const SLOTS = 65_536;

/**
 * Remembers which targets were asked for recently, so that the cache admits only those asked for twice. It takes the same
 * small memory whatever clients ask for, and in return it is sometimes wrong.
 */
export class AdmissionFilter {
  /** The last hash that fell on each slot. */
  readonly #hashes = new Uint32Array(SLOTS);

  /** Whether a target was asked for before; from now on it was. */
  seenBefore(target: string): boolean {
    const hash = Bun.hash.xxHash32(target);
    const slot = hash % SLOTS;
    const known = this.#hashes[slot] === hash;
    this.#hashes[slot] = hash;
    return known;
  }
}
