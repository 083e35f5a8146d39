import { type ApiKey, refusalAt } from "../../domain/api-key.ts";
import type { MaybePromise } from "../../domain/maybe-promise.ts";
import type { StreamEnd } from "../../domain/observation.ts";
import { isValidAt, type Revision } from "../../domain/revision.ts";
import type { EventStream } from "./event-stream.ts";

/** Keys looked up in one turn: one packet on PostgreSQL, and less than a millisecond on SQLite. */
const LOOKUPS_MAX = 100;

/** The streams of one key. */
interface Group {
  key: ApiKey;
  readonly hash: Uint8Array;
  asOf: Revision;
  readonly streams: Set<EventStream>;
}

type FindKey = (hash: Uint8Array) => MaybePromise<ApiKey | undefined>;

/** The open streams, by their keys: a stream lasts no longer than its key and its scopes. */
export class Listeners {
  readonly #groups = new Map<number, Group>();
  #count = 0;

  get count(): number {
    return this.#count;
  }

  add(stream: EventStream): void {
    const { key, hash, asOf } = stream.listener;
    const group = this.#groups.get(key.id);
    // The older look-up decides when the key is looked up again.
    if (!group) this.#groups.set(key.id, { key, hash, asOf, streams: new Set([stream]) });
    else {
      if (isValidAt(group.asOf, asOf, "keys")) group.asOf = asOf;
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

  endAll(end: StreamEnd): void {
    for (const stream of [...this]) stream.end(end);
  }

  /** Ends the streams of keys that have expired. */
  endExpired(now: number): void {
    for (const { key, streams } of [...this.#groups.values()]) if (refusalAt(key, now)) endStreams(streams);
  }

  /**
   * Looks up the keys that may have changed, each once and some together, and ends the streams of a key that has lost a
   * scope or is no longer valid.
   *
   * @param revision from before the look-ups
   * @param now milliseconds since 1970
   */
  async check(revision: Revision, now: number, findKey: FindKey): Promise<void> {
    const changed = [...this.#groups.values()].filter(({ asOf }) => !isValidAt(asOf, revision, "keys"));
    for (let at = 0; at < changed.length; at += LOOKUPS_MAX) {
      if (at > 0) await new Promise(setImmediate);
      const groups = changed.slice(at, at + LOOKUPS_MAX);
      const found = await Promise.all(groups.map(({ hash }) => findKey(hash)));
      for (const [n, group] of groups.entries()) settle(group, found[n], revision, now);
    }
  }
}

function settle(group: Group, found: ApiKey | undefined, revision: Revision, now: number): void {
  const isValid =
    found && !refusalAt(found, now) && group.key.scopes.every((scope) => found.scopes.includes(scope));
  if (isValid) {
    group.key = found;
    group.asOf = revision;
  } else endStreams(group.streams);
}

function endStreams(streams: Iterable<EventStream>): void {
  for (const stream of [...streams]) stream.end("key_ended");
}
