import {
  type Animal,
  type AnimalInput,
  createPet,
  getPet,
  type ListPetsQuery,
  listPets,
} from "./contract.ts";
import { List } from "./list.ts";
import type { CallOptions, CreateOptions } from "./options.ts";
import type { PendingCall } from "./pending-call.ts";
import type { Transport } from "./transport.ts";

/** The stock of animals. A call that fails throws a subclass of `AnimalStoreError`. */
export class Pets {
  readonly #transport: Transport;

  /** @internal */
  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /**
   * Lists animals in ascending order of `id`, unless `sort` says otherwise. The client sends the first request when a
   * loop begins.
   *
   * @example
   * for await (const animal of store.pets.list({ status: "available" })) console.log(animal.id, animal.name);
   *
   * @param query `limit` is the page size: 100 by default, the maximum
   */
  list(query: ListPetsQuery = {}, options: CallOptions = {}): List<Animal> {
    return new List(this.#transport, listPets, query, options);
  }

  /**
   * Continues a list at the address of one of its pages: the `url` or `next` of a `Page` that you kept. The `url` of the
   * last page also finds the animals that were added since.
   * @throws TypeError if the address is not below `baseUrl`
   */
  listFrom(url: string, options: CallOptions = {}): List<Animal> {
    return new List(this.#transport, listPets, url, options);
  }

  /**
   * Adds an animal once. The request carries an `Idempotency-Key`, so the client can safely send it again after a lost
   * response.
   *
   * @example
   * const rex = await store.pets.create({ name: "Rex", categoryId: 12n });
   *
   * @throws InvalidBodyError if a value is invalid; its message names each member at fault
   * @throws IdempotencyKeyReusedError if `idempotencyKey` named another request in the last 24 hours
   */
  create(animal: AnimalInput, options: CreateOptions = {}): PendingCall<Animal> {
    return this.#transport.invoke(createPet, {}, options, animal);
  }

  /**
   * Fetches an animal by its id.
   * @deprecated The service removes it on 5 December 2030; `list` with a `status` replaces it.
   * @throws AnimalNotFoundError if there is none
   */
  get(petId: bigint, options: CallOptions = {}): PendingCall<Animal> {
    return this.#transport.invoke(getPet, { petId }, options);
  }
}
