import { Events } from "./events.ts";
import type { AnimalStoreOptions } from "./options.ts";
import { Orders } from "./orders.ts";
import { Pets } from "./pets.ts";
import { Transport } from "./transport.ts";

/**
 * A client of an Animal Store service. One is enough for a program: calls may run side by side, and share what it knows
 * of earlier responses.
 *
 * @example
 * const store = new AnimalStore({ baseUrl: "http://127.0.0.1:8080/v1", apiKey: "as_live_…" });
 * for await (const animal of store.pets.list()) console.log(animal.id, animal.name);
 */
export class AnimalStore {
  readonly pets: Pets;
  readonly orders: Orders;
  readonly events: Events;

  /** @throws TypeError where `baseUrl` is not an http or https address, RangeError where a number is negative or NaN */
  constructor(options: AnimalStoreOptions) {
    const transport = new Transport(options);
    this.pets = new Pets(transport);
    this.orders = new Orders(transport);
    this.events = new Events(transport);
  }
}
