import { type ApiKey, refusalAt } from "../../domain/api-key.ts";
import type { MaybePromise } from "../../domain/maybe-promise.ts";
import { isValidAt, type Revision } from "../../domain/revision.ts";
import type { Store } from "../../domain/store.ts";
import type { Listener } from "./listener.ts";

/** A key that streams have, as it was looked up last. */
interface HeldKey {
  key: ApiKey | undefined;
  asOf: Revision;
  lookup: Promise<void> | undefined;
  streams: number;
}

/** The keys of the open streams: each is looked up once for all streams that have it. */
export class StreamKeys {
  readonly #store: Store;
  readonly #held = new Map<number, HeldKey>();

  constructor(store: Store) {
    this.#store = store;
  }

  add({ key, asOf }: Listener): void {
    const held = this.#held.get(key.id);
    if (held) held.streams++;
    else this.#held.set(key.id, { key, asOf, lookup: undefined, streams: 1 });
  }

  delete({ key: { id } }: Listener): void {
    const held = this.#held.get(id);
    if (held && --held.streams === 0) this.#held.delete(id);
  }

  /** Whether a key was not valid any more when it was looked up, or has expired since. */
  hasExpired({ key: { id } }: Listener, now: number): boolean {
    const key = this.#held.get(id)?.key;
    return key === undefined || refusalAt(key, now) !== undefined;
  }

  /**
   * Whether the key of a stream was valid at a revision or later, with all scopes that it had when the stream was opened.
   *
   * @param now milliseconds since 1970
   */
  isValid(listener: Listener, revision: Revision, now: number): MaybePromise<boolean> {
    const held = this.#held.get(listener.key.id);
    if (!held) return false;
    if (isValidAt(held.asOf, revision, "keys")) return isStill(listener.key, held.key, now);
    held.lookup ??= this.#lookUp(held, listener.hash, revision);
    // That look-up may have begun for an earlier revision.
    return held.lookup.then(() => this.isValid(listener, revision, now));
  }

  /** @param revision from before the look-up */
  async #lookUp(held: HeldKey, hash: Uint8Array, revision: Revision): Promise<void> {
    try {
      held.key = await this.#store.findKey(hash);
      held.asOf = revision;
    } finally {
      held.lookup = undefined;
    }
  }
}

/** Whether a key is valid, and has all scopes that it had. */
function isStill(before: ApiKey, found: ApiKey | undefined, now: number): boolean {
  return (
    found !== undefined &&
    !refusalAt(found, now) &&
    before.scopes.every((scope) => found.scopes.includes(scope))
  );
}
