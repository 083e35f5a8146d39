import type { Store } from "../src/domain/store.ts";
import { openMemoryStore } from "../src/stores/sqlite/memory-store.ts";
import { addSandboxKeys } from "./keys.ts";
import { type Beginning, stock } from "./stock.ts";

/** Examples are made again after this long, so that their events do not expire while a sandbox runs for days. */
const FRESH_MS = 3_600_000;

/** The state in which a space begins, and to which a reset returns. */
export interface InitialState {
  get(): Promise<Uint8Array>;
}

/** The example animals, orders and events. */
export class Examples implements InitialState {
  #made: Promise<Uint8Array> | undefined;
  #madeAt = 0;

  get(): Promise<Uint8Array> {
    if (!this.#made || performance.now() - this.#madeAt > FRESH_MS) {
      this.#madeAt = performance.now();
      this.#made = makeState(undefined, (store) => stock(store));
    }
    return this.#made;
  }
}

/**
 * Makes the state of a sandbox's store, which records events and has the fixed keys.
 *
 * @param from what is in it already; left out: nothing
 * @param after the last ids that its tables have given
 */
export async function makeState(
  from: Uint8Array | undefined,
  fill: (store: Store) => Promise<void> = async () => {},
  after: Pick<Beginning, "lastAnimalId" | "lastOrderId"> | undefined = undefined,
): Promise<Uint8Array> {
  const store = openMemoryStore(from, Date.now);
  if (after) store.beginAfter({ animal: after.lastAnimalId, store_order: after.lastOrderId });
  try {
    await store.recordEvents(true);
    await fill(store);
    // A service makes it at its start.
    await store.cursorSecret();
    await addSandboxKeys(store);
    return store.state();
  } finally {
    await store.close();
  }
}
