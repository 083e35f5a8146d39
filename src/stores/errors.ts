import { storeName } from "./url.ts";

/** A store that this program cannot use as it is; the message says why and what to do. */
export class UnusableStore extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = "UnusableStore";
  }
}

/** There is no store where one was to be read. */
export class MissingStore extends UnusableStore {
  /** @param url where it was looked for */
  constructor(url: string) {
    super(
      `there is no store at ${storeName(url)}. Name one that exists with --database or DATABASE_URL, or make one: ` +
        "`animal-store serve` does, and so does `animal-store migrate`.",
    );
  }
}

/** What is said of a store that `copy` has begun to fill. */
export function incompleteCopy(store: string): string {
  return `a copy of another store into ${store} was begun and is not finished; run the same \`copy\` again.`;
}
