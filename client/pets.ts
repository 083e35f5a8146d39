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
import type { Transport } from "./transport.ts";

/** The stock of animals. Calls throw the errors of this package: `AnimalStoreError` is above them all. */
export class Pets {
  readonly #transport: Transport;

  /** @internal */
  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /**
   * Lists animals in ascending order of `id`. Nothing is sent before the loop begins.
   *
   * @example
   * for await (const animal of store.pets.list({ status: "available" })) console.log(animal.id, animal.name);
   *
   * @param query `limit` is the size of a page: 100 unless given, which takes the fewest requests
   */
  list(query: ListPetsQuery = {}, options: CallOptions = {}): List<Animal> {
    const url = this.#transport.address.of(listPets, {}, { ...query, limit: query.limit ?? 100 });
    return new List(this.#transport, listPets, url, options);
  }

  /**
   * Goes on with a list at the address of one of its pages: `url` or `next` of a `Page`, kept from before. After the last
   * page, its `url` finds what was added since.
   * @throws TypeError where the address is not the service's
   */
  listFrom(url: string, options: CallOptions = {}): List<Animal> {
    return new List(this.#transport, listPets, this.#transport.address.follow(url), options);
  }

  /**
   * Adds an animal, once: the request carries an `Idempotency-Key`, with which it is sent again where no response came.
   *
   * @example
   * const rex = await store.pets.create({ name: "Rex", categoryId: 12n });
   */
  async create(animal: AnimalInput, options: CreateOptions = {}): Promise<Animal> {
    const url = this.#transport.address.of(createPet);
    return (await this.#transport.call(createPet, url, options, animal)).value;
  }

  /**
   * Fetches an animal by its id.
   * @deprecated The service removes it on 5 December 2030; `list` with a `status` replaces it.
   * @throws AnimalNotFoundError where there is none
   */
  async get(petId: bigint, options: CallOptions = {}): Promise<Animal> {
    const url = this.#transport.address.of(getPet, { petId });
    return (await this.#transport.call(getPet, url, options)).value;
  }
}
