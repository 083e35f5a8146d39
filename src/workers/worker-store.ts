import type { NewAnimal } from "../domain/animal.ts";
import type { NewApiKey } from "../domain/api-key.ts";
import type { PageQuery } from "../domain/page.ts";
import type { Retry } from "../domain/retry.ts";
import { type Added, KeysChanged, type Store } from "../domain/store.ts";
import type { DistantWriter } from "./distant-writer.ts";

/** The store of a worker: it reads by itself, and has its animals written for it. */
export class WorkerStore implements Store {
  readonly #store: Store;
  readonly #writer: DistantWriter;

  constructor(store: Store, writer: DistantWriter) {
    this.#store = store;
    this.#writer = writer;
  }

  async addAnimal(animal: NewAnimal, retry?: Retry, keysAsOf?: number): Promise<Added> {
    if (keysAsOf !== undefined && !this.#keysAreOf(keysAsOf)) throw new KeysChanged();
    return this.#writer.add(animal, retry);
  }

  /**
   * A revision is a process's own: the one who writes cannot hold it against the keys. Where it cannot be told at
   * once here, the caller has to look at the key first.
   */
  #keysAreOf(revision: number): boolean {
    const current = this.#store.revision();
    if (!(current instanceof Promise)) return current.keys <= revision;
    current.catch(() => {});
    return false;
  }

  listAnimals(query: PageQuery) {
    return this.#store.listAnimals(query);
  }

  findAnimal(id: bigint) {
    return this.#store.findAnimal(id);
  }

  findKey(hash: Uint8Array) {
    return this.#store.findKey(hash);
  }

  listKeys() {
    return this.#store.listKeys();
  }

  addKey(key: NewApiKey) {
    return this.#store.addKey(key);
  }

  addFirstKey(key: NewApiKey) {
    return this.#store.addFirstKey(key);
  }

  revokeKey(id: number, at: number) {
    return this.#store.revokeKey(id, at);
  }

  replaceKey(id: number, successor: NewApiKey, expiresAt: number) {
    return this.#store.replaceKey(id, successor, expiresAt);
  }

  cursorSecret() {
    return this.#store.cursorSecret();
  }

  revision() {
    return this.#store.revision();
  }

  check() {
    return this.#store.check();
  }

  checkWriting() {
    return this.#writer.check();
  }

  sweepRetries() {
    return this.#store.sweepRetries();
  }

  async close() {
    await this.#writer.close();
    await this.#store.close();
  }
}
