import { join } from "node:path";
import type { Store } from "../../src/domain/store.ts";
import { openStore } from "../../src/stores/open.ts";

/** A store that writes for workers, as a supervisor's does; gone with `await using`, after theirs. */
export interface SharedStore extends AsyncDisposable {
  /** Opens the store as a worker does. */
  open(): Promise<WorkerStore>;
}

export interface WorkerStore {
  readonly store: Store;
  /** Ends the process that relays its messages to the writer. */
  cutOff(): Promise<void>;
  /** Resolves when it has lost the writer. */
  readonly lost: Promise<void>;
}

export async function openSharedStore(url: string, clock: () => number): Promise<SharedStore> {
  const own = await openStore(url, clock);
  const relays: Relay[] = [];
  return {
    async open() {
      const relay = startRelay();
      relays.push(relay);
      own.writeFor?.(relay.ends[0]);
      const { promise: lost, resolve } = Promise.withResolvers<void>();
      const store = await openStore(url, clock, {
        writer: { descriptor: relay.ends[1], sharers: 1, lost: resolve },
      });
      return { store, cutOff: relay.end, lost };
    },
    async [Symbol.asyncDispose]() {
      for (const relay of relays) await relay.end();
      await own.close();
    },
  };
}

/** A worker's store. */
export async function openWorkerStore(url: string, clock: () => number): Promise<Store> {
  const shared = await openSharedStore(url, clock);
  const { store } = await shared.open();
  const close = store.close.bind(store);
  return Object.assign(store, {
    async close() {
      await close();
      await shared[Symbol.asyncDispose]();
    },
  });
}

interface Relay {
  /** Two sockets: bytes written to one arrive at the other, in other pieces. */
  readonly ends: readonly [number, number];
  /** Resolves when it has ended, as it does when either socket is closed. */
  readonly exited: Promise<number>;
  end(): Promise<void>;
}

export function startRelay(): Relay {
  const child = Bun.spawn([process.execPath, join(import.meta.dir, "relay.ts")], {
    stdio: ["ignore", "inherit", "inherit", "socket-fd", "socket-fd"],
  });
  const [, , , one, other] = child.stdio;
  return {
    ends: [one as number, other as number],
    exited: child.exited,
    async end() {
      child.kill("SIGKILL");
      await child.exited;
    },
  };
}
