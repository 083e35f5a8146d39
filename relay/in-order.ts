/** How to process a list of items. */
interface Work<Item> {
  /** The most items in progress. */
  readonly atOnce: number;
  /** Items with the same key are processed one after the other. */
  readonly keyOf: (item: Item) => unknown;
  readonly run: (item: Item) => Promise<void>;
  /** Called for each item in the order of the list, once that item and all before it are done. */
  readonly onDone: (item: Item) => void;
  /** Called when a run fails, so that the other runs can be ended. */
  readonly onFailure: () => void;
}

/**
 * Processes items in the order of the list, several at once.
 *
 * @throws the error of the first run that failed, once all runs in progress have ended; no run begins after it
 */
export async function inOrder<Item>(items: readonly Item[], work: Work<Item>): Promise<void> {
  const { atOnce, keyOf, run, onDone, onFailure } = work;
  const underWay = new Set<Promise<void>>();
  const latest = new Map<unknown, Promise<void>>();
  const done = new Set<number>();
  let first = 0;
  let failure: { readonly error: unknown } | undefined;

  async function runAfter(before: Promise<void> | undefined, item: Item, at: number): Promise<void> {
    await before;
    if (failure) return;
    try {
      await run(item);
    } catch (error) {
      failure ??= { error };
      onFailure();
      return;
    }
    done.add(at);
    for (; done.delete(first); first++) onDone(items[first] as Item);
  }

  for (const [at, item] of items.entries()) {
    const key = keyOf(item);
    const running = runAfter(latest.get(key), item, at).finally(() => underWay.delete(running));
    latest.set(key, running);
    underWay.add(running);
    if (underWay.size >= atOnce) await Promise.race(underWay);
    if (failure) break;
  }
  await Promise.all(underWay);
  if (failure) throw failure.error;
}
