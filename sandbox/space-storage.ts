import type { ObservationSink } from "../src/observations/observation.ts";
import { openStore } from "../src/stores/open.ts";
import type { OpenedStore } from "../src/stores/opened-store.ts";
import { type MemoryStore, openMemoryStore, stateOf } from "../src/stores/sqlite/memory-store.ts";
import type { InitialState } from "./initial-state.ts";
import type { StoreFile } from "./store-file.ts";

/** The store of a space. */
export type SpaceStore = OpenedStore & Pick<MemoryStore, "state">;

/**
 * Opens the store of a space, whose former store is closed.
 *
 * @param state what to open in place of what was there; left out: what was there, or else the initial state
 * @param clock milliseconds since 1970
 * @throws UnusableStore
 */
export type OpenSpaceStore = (
  state: Uint8Array | undefined,
  clock: () => number,
  emit: ObservationSink,
) => Promise<SpaceStore>;

/** Keeps the store in memory. */
export function inMemory(initial: InitialState): OpenSpaceStore {
  return async (state, clock) => openMemoryStore(state ?? (await initial.get()), clock);
}

/** Keeps the store in a file. */
export function inFile(file: StoreFile, initial: InitialState): OpenSpaceStore {
  return async (state, clock, emit) => {
    if (state || file.isEmpty) file.fill(state ?? (await initial.get()));
    const store = await openStore(`sqlite:${file.path}`, clock, { kind: "sandbox", emit });
    return {
      ...store,
      state: () => stateOf(file.path),
    };
  };
}
