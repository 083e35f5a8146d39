/** A store that this program cannot use as it is; the message says why and what to do. */
export class UnusableStore extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = "UnusableStore";
  }
}

/** There is no store where one was to be read. */
export class MissingStore extends UnusableStore {
  /** @param where names the place */
  constructor(where: string) {
    super(`there is no store ${where}; name one that exists with DATABASE_URL.`);
  }
}

/** What is said of a store that `copy` has begun to fill. */
export function halfCopied(store: string): string {
  return `a copy of another store into ${store} was begun and is not finished; run the same \`copy\` again.`;
}
