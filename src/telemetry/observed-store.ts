import type { NewAnimal } from "../domain/animal.ts";
import type { NewApiKey } from "../domain/api-key.ts";
import type { EventQuery } from "../domain/change-event.ts";
import type { Idempotency } from "../domain/idempotency.ts";
import type { MaybePromise } from "../domain/maybe-promise.ts";
import type { OrderQuery, OrderStatus } from "../domain/order.ts";
import type { PageQuery } from "../domain/page.ts";
import type { Revision } from "../domain/revision.ts";
import type { Store } from "../domain/store.ts";

/** Runs a call of a store and observes its result. */
export type ObserveCall = <Result>(
  name: keyof Store | "revision",
  call: () => MaybePromise<Result>,
) => MaybePromise<Result>;

/** A store whose calls are observed. */
export class ObservedStore implements Store {
  readonly #store: Store;
  readonly #observe: ObserveCall;

  constructor(store: Store, observe: ObserveCall) {
    this.#store = store;
    this.#observe = observe;
  }

  async addAnimal(animal: NewAnimal, idempotency?: Idempotency, ifKeysAt?: Revision) {
    return this.#observe("addAnimal", () => this.#store.addAnimal(animal, idempotency, ifKeysAt));
  }

  listAnimals(query: PageQuery) {
    return this.#observe("listAnimals", () => this.#store.listAnimals(query));
  }

  findAnimal(id: bigint) {
    return this.#observe("findAnimal", () => this.#store.findAnimal(id));
  }

  async placeOrder(petId: bigint, idempotency?: Idempotency, ifKeysAt?: Revision) {
    return this.#observe("placeOrder", () => this.#store.placeOrder(petId, idempotency, ifKeysAt));
  }

  async updateOrder(id: bigint, status: OrderStatus, ifKeysAt?: Revision) {
    return this.#observe("updateOrder", () => this.#store.updateOrder(id, status, ifKeysAt));
  }

  listOrders(query: OrderQuery) {
    return this.#observe("listOrders", () => this.#store.listOrders(query));
  }

  findOrder(id: bigint) {
    return this.#observe("findOrder", () => this.#store.findOrder(id));
  }

  listEvents(query: EventQuery) {
    return this.#observe("listEvents", () => this.#store.listEvents(query));
  }

  newestEventId() {
    return this.#observe("newestEventId", () => this.#store.newestEventId());
  }

  isRecordingEvents() {
    return this.#observe("isRecordingEvents", () => this.#store.isRecordingEvents());
  }

  async recordEvents(on: boolean) {
    return this.#observe("recordEvents", () => this.#store.recordEvents(on));
  }

  async deleteExpiredEvents(before: number) {
    return this.#observe("deleteExpiredEvents", () => this.#store.deleteExpiredEvents(before));
  }

  findKey(hash: Uint8Array) {
    return this.#observe("findKey", () => this.#store.findKey(hash));
  }

  async listKeys() {
    return this.#observe("listKeys", () => this.#store.listKeys());
  }

  async addKey(key: NewApiKey) {
    return this.#observe("addKey", () => this.#store.addKey(key));
  }

  async addFirstKey(key: NewApiKey) {
    return this.#observe("addFirstKey", () => this.#store.addFirstKey(key));
  }

  async revokeKey(id: number, at: number) {
    return this.#observe("revokeKey", () => this.#store.revokeKey(id, at));
  }

  async replaceKey(id: number, successor: NewApiKey, expiresAt: number) {
    return this.#observe("replaceKey", () => this.#store.replaceKey(id, successor, expiresAt));
  }

  async cursorSecret() {
    return this.#observe("cursorSecret", () => this.#store.cursorSecret());
  }

  revisionAtHand(): Revision | undefined {
    return this.#store.revisionAtHand();
  }

  /** The calls that `work` makes of this store are observed like any other. */
  together<Result>(work: (revision: MaybePromise<Revision>) => Result): Result {
    return this.#store.together((revision) => work(this.#observeUnlessAtHand(revision)));
  }

  /** A revision at hand is read from memory and is not a call of the store. */
  #observeUnlessAtHand(revision: MaybePromise<Revision>): MaybePromise<Revision> {
    return revision instanceof Promise ? this.#observe("revision", () => revision) : revision;
  }

  async check() {
    return this.#observe("check", () => this.#store.check());
  }

  async checkWriting() {
    return this.#observe("checkWriting", () => this.#store.checkWriting());
  }

  async deleteExpired() {
    return this.#observe("deleteExpired", () => this.#store.deleteExpired());
  }

  close() {
    return this.#store.close();
  }
}
