import { storeName } from "./url.ts";

/** A store cannot be used as it is. The message says why, and what to do. */
export class UnusableStore extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = "UnusableStore";
  }
}

/** There is no store at a URL that a command has to read. */
export class MissingStore extends UnusableStore {
  /** @param url the URL that has no store */
  constructor(url: string) {
    super(
      `there is no store at ${storeName(url)}. Name an existing store with --database or DATABASE_URL, or make a new store: ` +
        "`animal-store serve` does, and so does `animal-store migrate`.",
    );
  }
}

/** The message for a store that an unfinished `copy` has partly filled. */
export function incompleteCopy(store: string): string {
  return (
    `a copy of another store into ${store} was begun and is not finished; run the same \`copy\` again, and it continues. ` +
    "To give it up, delete the files of the copy, or drop its schema animal_store."
  );
}
