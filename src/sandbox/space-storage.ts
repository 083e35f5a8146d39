import { Database } from "bun:sqlite";
import type { EventSink } from "../domain/event.ts";
import { openStore } from "../stores/open.ts";
import type { OpenedStore } from "../stores/opened-store.ts";
import { type MemoryStore, openMemoryStore } from "../stores/sqlite/memory-store.ts";
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
  emit: EventSink,
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
      state() {
        using database = new Database(file.path, { readonly: true });
        return withoutLog(database.serialize());
      },
    };
  };
}

/** The versions that SQLite requires for writing and reading; 2 stands for a write-ahead log (sqlite.org/fileformat.html). */
const FORMAT_VERSIONS = { from: 18, to: 20 };
const WITHOUT_LOG = 1;

/** Marks a database as one without a write-ahead log, which a database in memory cannot have. */
function withoutLog(state: Uint8Array): Uint8Array {
  return state.fill(WITHOUT_LOG, FORMAT_VERSIONS.from, FORMAT_VERSIONS.to);
}
