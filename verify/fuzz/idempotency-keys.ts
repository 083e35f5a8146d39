import type { Random } from "../random.ts";

/** The `Idempotency-Key`s under which a write was acknowledged, with what each of them wrote. */
export class IdempotencyKeys<Item> {
  readonly #items = new Map<string, Item>();
  readonly #keys: string[] = [];

  get(key: string | undefined): Item | undefined {
    return key === undefined ? undefined : this.#items.get(key);
  }

  set(key: string | undefined, item: Item): void {
    if (key === undefined) return;
    this.#items.set(key, item);
    this.#keys.push(key);
  }

  any(random: Random): { readonly key: string; readonly item: Item } | undefined {
    if (this.#keys.length === 0) return undefined;
    const key = random.pick(this.#keys);
    return { key, item: this.#items.get(key) as Item };
  }
}
