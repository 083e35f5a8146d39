import { type ApiKey, refusalAt } from "../../domain/api-key.ts";
import { holdsUnder, type Revision } from "../../domain/revision.ts";
import type { EventStream } from "./event-stream.ts";
import type { Listener } from "./listener.ts";

interface Group extends Listener {
  asOf: Revision;
  readonly streams: Set<EventStream>;
}

/** The open streams, by their keys: a stream lasts no longer than its key and its scopes. */
export class Listeners {
  readonly #groups = new Map<number, Group>();
  #count = 0;

  get count(): number {
    return this.#count;
  }

  add(stream: EventStream): void {
    const { listener } = stream;
    const group = this.#groups.get(listener.key.id);
    // The older look-up decides when the key is looked up again.
    if (!group) this.#groups.set(listener.key.id, { ...listener, streams: new Set([stream]) });
    else {
      if (holdsUnder(group.asOf, listener.asOf, "keys")) group.asOf = listener.asOf;
      group.streams.add(stream);
    }
    this.#count++;
  }

  delete(stream: EventStream): void {
    const { id } = stream.listener.key;
    const group = this.#groups.get(id);
    if (!group?.streams.delete(stream)) return;
    this.#count--;
    if (group.streams.size === 0) this.#groups.delete(id);
  }

  *[Symbol.iterator](): Generator<EventStream> {
    for (const { streams } of this.#groups.values()) yield* streams;
  }

  /** Ends the streams of keys that have expired. */
  endExpired(now: number): void {
    for (const { key, streams } of [...this.#groups.values()]) if (refusalAt(key, now)) endAll(streams);
  }

  /** Looks up the keys that may have changed, and ends the streams of those that lost a scope or are no longer good. */
  async check(
    revision: Revision,
    now: number,
    findKey: (hash: Uint8Array) => Promise<ApiKey | undefined>,
  ): Promise<void> {
    for (const group of [...this.#groups.values()]) {
      if (holdsUnder(group.asOf, revision, "keys")) continue;
      const found = await findKey(group.hash);
      const isGood =
        found && !refusalAt(found, now) && group.key.scopes.every((scope) => found.scopes.includes(scope));
      if (isGood) this.#renew(group, found, revision);
      else endAll(group.streams);
    }
  }

  #renew(group: Group, key: ApiKey, asOf: Revision): void {
    Object.assign(group, { key, asOf });
  }
}

function endAll(streams: Iterable<EventStream>): void {
  for (const stream of [...streams]) stream.end();
}
