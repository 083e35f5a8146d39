/** What a store contains at one moment, as far as the simulation asks for it. */
export interface Contents {
  /** The identity of the store. */
  readonly store: string;
  /** The tokens of the two logs, from the number 1. */
  readonly appends: readonly number[];
  readonly rewrites: readonly number[];
  readonly keysRevision: number;
  readonly isKeyValid: boolean;
}

/** Each store begins with these animals, without a row in its logs, as a copied store does. */
export const COPIED = 5;

/** The name of an animal, which tells the store and the changes that made it; `undefined` if there is no such animal. */
export function nameOfAnimal({ store, appends, rewrites }: Contents, id: number): string | undefined {
  if (id > COPIED + appends.length) return undefined;
  const made = id > COPIED ? appends[id - COPIED - 1] : 0;
  // Each rewrite changes the name of the first animal.
  const changed = id === 1 ? (rewrites.at(-1) ?? 0) : 0;
  return `${store}-${id}-${made}-${changed}`;
}

/** A store that was made by a copy. */
export function copiedStore(store: string): Contents {
  return { store, appends: [], rewrites: [], keysRevision: 1, isKeyValid: true };
}
