import { tokenOf } from "../src/http/authenticate.ts";
import { newKeys, SANDBOX_KEYS, type SandboxKey } from "./keys.ts";
import type { Snapshot, Space } from "./space.ts";

/** Spaces in addition to the first. */
export const SPACES_MAX = 1000;
/** A space without a request for this long is removed. */
const IDLE_MAX_MS = 3_600_000;
const LOOK_EVERY_MS = 60_000;

/** The space that a request is for. */
interface Chosen {
  readonly space: Space;
  /** The name of the API key; `null` if no space has it. */
  readonly key: string | null;
  /** The fixed key that the space's own stands for, if the store knows only that. */
  readonly fixed?: string;
}

type MakeSpace = (id: string, keys: readonly [SandboxKey, ...SandboxKey[]], from?: Snapshot) => Space;

/** The spaces of a sandbox. The first one has the fixed keys, and stays. */
export class Spaces {
  readonly first: Space;
  readonly #make: MakeSpace;
  readonly #byId = new Map<string, Space>();
  readonly #byKey = new Map<string, Chosen>();
  readonly #timer: Timer;

  /** @param make is called with an id and keys, and with the snapshot in which the space begins, if there is one */
  constructor(make: MakeSpace) {
    this.#make = make;
    this.first = make("first", SANDBOX_KEYS);
    for (const { key, name } of SANDBOX_KEYS) this.#byKey.set(key, { space: this.first, key: name });
    this.#timer = setInterval(() => this.removeIdle(IDLE_MAX_MS), LOOK_EVERY_MS).unref();
  }

  *[Symbol.iterator](): Generator<Space> {
    yield this.first;
    yield* this.#byId.values();
  }

  /**
   * Adds a space; `undefined` if there are as many as there may be.
   *
   * @param from where it begins; left out: in the initial state
   */
  add(from?: Snapshot): Space | undefined {
    if (this.#byId.size >= SPACES_MAX) return undefined;
    const space = this.#make(`space-${crypto.randomUUID().slice(0, 13)}`, newKeys(), from);
    this.#byId.set(space.id, space);
    for (const [at, { key, name }] of space.keys.entries())
      this.#byKey.set(key, { space, key: name, fixed: `Bearer ${SANDBOX_KEYS[at]?.key}` });
    return space;
  }

  find(id: string): Space | undefined {
    return id === this.first.id ? this.first : this.#byId.get(id);
  }

  /** The space whose key an `Authorization` carries; without one, or with another key, the first. */
  choose(authorization: string | null): Chosen {
    const token = tokenOf(authorization);
    const chosen = token === undefined ? undefined : this.#byKey.get(token);
    return chosen ?? { space: this.first, key: null };
  }

  /** Removes a space; its keys are unknown from now on. */
  async remove(space: Space): Promise<void> {
    this.#byId.delete(space.id);
    for (const { key } of space.keys) this.#byKey.delete(key);
    await space.end();
  }

  /** Removes the spaces that nobody has used for this long. */
  removeIdle(milliseconds: number): void {
    for (const space of [...this.#byId.values()]) {
      if (space.idleMs >= milliseconds) void this.remove(space);
    }
  }

  /** Ends all streams, so that requests in progress can end. */
  refuse(): void {
    clearInterval(this.#timer);
    for (const space of this) space.refuse();
  }

  async end(): Promise<void> {
    for (const space of this) await space.end();
  }
}
