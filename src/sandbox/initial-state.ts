import { openMemoryStore } from "../stores/sqlite/memory-store.ts";
import { addSandboxKeys } from "./keys.ts";
import { stock } from "./stock.ts";

/** Examples are made again after this long, so that their events do not expire while a sandbox runs for days. */
const FRESH_MS = 3_600_000;

/** The state in which a space begins, and to which a reset returns. */
export interface InitialState {
  get(): Promise<Uint8Array>;
}

/** The example animals, orders and events, with the fixed keys. */
export class Examples implements InitialState {
  #made: Promise<Uint8Array> | undefined;
  #madeAt = 0;

  get(): Promise<Uint8Array> {
    if (!this.#made || performance.now() - this.#madeAt > FRESH_MS) {
      this.#madeAt = performance.now();
      this.#made = make();
    }
    return this.#made;
  }
}

async function make(): Promise<Uint8Array> {
  const store = openMemoryStore(undefined, Date.now);
  await stock(store);
  // A service makes it at its start.
  await store.cursorSecret();
  await addSandboxKeys(store);
  const state = store.state();
  await store.close();
  return state;
}
