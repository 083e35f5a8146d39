import type { Store } from "../../src/domain/store.ts";

/** A place for a store of one engine: empty at first, and gone with `await using`. */
export interface Place extends AsyncDisposable {
  readonly url: string;
}

/** A place with opened stores, which are closed before it is removed. */
export interface OpenedPlace<Kind extends Place, Opened extends Store> extends AsyncDisposable {
  readonly place: Kind;
  readonly url: string;
  /** The first instance. */
  readonly store: Opened;
  /** Opens the store once more, as another instance does. */
  open(): Promise<Opened>;
  /** Closes an instance now, and not again at the end. */
  close(store: Opened): Promise<void>;
}

export async function openPlace<Kind extends Place, Opened extends Store>(
  openFresh: () => Promise<Kind>,
  openAt: (url: string, clock: () => number) => Promise<Opened>,
  clock: () => number = Date.now,
): Promise<OpenedPlace<Kind, Opened>> {
  const place = await openFresh();
  const opened: Opened[] = [];
  const open = async () => {
    const store = await openAt(place.url, clock);
    opened.push(store);
    return store;
  };
  return {
    place,
    url: place.url,
    store: await open(),
    open,
    async close(store) {
      opened.splice(opened.indexOf(store), 1);
      await store.close();
    },
    async [Symbol.asyncDispose]() {
      for (const store of opened) await store.close();
      await place[Symbol.asyncDispose]();
    },
  };
}
