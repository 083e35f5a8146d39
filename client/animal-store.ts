import { Events } from "./events.ts";
import { Key } from "./key.ts";
import type { AnimalStoreOptions } from "./options.ts";
import { Orders } from "./orders.ts";
import { Pets } from "./pets.ts";
import { Transport } from "./transport.ts";

/**
 * A client of an Animal Store service. A program needs only one: calls may run concurrently, and share a cache of
 * responses.
 *
 * @example
 * const store = new AnimalStore({ baseUrl: "http://127.0.0.1:8080/v1", apiKey: "as_live_…" });
 * for await (const animal of store.pets.list()) console.log(animal.id, animal.name);
 */
export class AnimalStore {
  readonly pets: Pets;
  readonly orders: Orders;
  readonly key: Key;
  readonly events: Events;

  /**
   * A client of the service that the environment names: `ANIMAL_STORE_URL`, the base address with its version, and
   * `API_KEY`, the API key.
   * @throws TypeError if one of them is missing; the message names it
   */
  static fromEnv(options: Omit<AnimalStoreOptions, "baseUrl" | "apiKey"> = {}): AnimalStore {
    return new AnimalStore({
      ...options,
      baseUrl: variable("ANIMAL_STORE_URL"),
      apiKey: variable("API_KEY"),
    });
  }

  /**
   * @throws TypeError if `baseUrl` is not an http or https address that ends with a version, if `apiKey` is missing or
   *   malformed, or for an option that does not exist
   * @throws RangeError if a number is negative or NaN
   */
  constructor(options: AnimalStoreOptions) {
    const transport = new Transport(options);
    this.pets = new Pets(transport);
    this.orders = new Orders(transport);
    this.key = new Key(transport);
    this.events = new Events(transport);
  }
}

function variable(name: string): string {
  const { process } = globalThis as {
    process?: { readonly env: Readonly<Record<string, string | undefined>> };
  };
  const value = process?.env[name];
  if (!value) throw new TypeError(`the environment variable ${name} is missing`);
  return value;
}
