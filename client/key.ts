import { type CallerKey, getKey } from "./contract.ts";
import type { CallOptions } from "./options.ts";
import type { PendingCall } from "./pending-call.ts";
import type { Transport } from "./transport.ts";

/**
 * The client's own API key (beta: its shape may change). A service that does not offer it refuses the call with
 * `PathNotFoundError`.
 */
export class Key {
  readonly #transport: Transport;

  /** @internal */
  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /**
   * Fetches what the key is: its name, environment and scopes, and when it ends. Any valid key may ask.
   *
   * @example
   * const { scopes } = await store.key.get();
   * if (scopes.includes("pets:write")) showForm();
   *
   * @throws UnauthorizedError if the key is not valid
   */
  get(options: CallOptions = {}): PendingCall<CallerKey> {
    return this.#transport.invoke(getKey, {}, options);
  }
}
