import { Events } from "./events.ts";
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
  readonly events: Events;

  /**
   * @throws TypeError if `baseUrl` is not an http or https address, or if `apiKey` is missing or malformed
   * @throws RangeError if a number is negative or NaN
   */
  constructor(options: AnimalStoreOptions) {
    const transport = new Transport(options);
    this.pets = new Pets(transport);
    this.orders = new Orders(transport);
    this.events = new Events(transport);
  }
}
