/** A store that this program cannot use as it is; the message says why and what to do. */
export class UnusableStore extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = "UnusableStore";
  }
}
