/** A store that this program cannot use as it is; the message says why and what to do. */
export class UnusableStore extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = "UnusableStore";
  }
}

/** What is said of a store that `copy` has begun to fill. */
export function halfCopied(store: string): string {
  return `a copy of another store into ${store} was begun and is not finished; run the same \`copy\` again.`;
}
