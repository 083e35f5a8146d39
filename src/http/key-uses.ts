import { dayOf } from "../domain/api-key.ts";
import type { Store } from "../domain/store.ts";
import type { ObservationSink } from "../observations/observation.ts";
import { within } from "../system/within.ts";

interface Pauses {
  /** How long uses are gathered before they are recorded. */
  readonly gatherMs: number;
  /** The pause before a failed attempt is repeated: a store may be read-only for hours. */
  readonly retryMs: number;
}

const PAUSES: Pauses = { gatherMs: 10_000, retryMs: 60_000 };
/** How long the last attempt may delay the stop of a server. */
const LAST_ATTEMPT_MS = 1000;

/**
 * Notes on which day each key was last used, and records it in the background: one write a day for each key and process,
 * and no request waits for it.
 */
export class KeyUses {
  readonly #store: Pick<Store, "recordKeyUses">;
  readonly #emit: ObservationSink;
  readonly #pauses: Pauses;
  #day = Number.NaN;
  /** The keys that were used on `#day`, recorded or not. */
  readonly #usedOnDay = new Set<number>();
  /** The days that are not recorded yet, by the id of the key. */
  #unrecorded = new Map<number, number>();
  #timer: Timer | undefined;
  #hasFailed = false;
  #stopped = false;

  constructor(store: Pick<Store, "recordKeyUses">, emit: ObservationSink, pauses = PAUSES) {
    this.#store = store;
    this.#emit = emit;
    this.#pauses = pauses;
  }

  /** @param now milliseconds since 1970 */
  note(keyId: number, now: number): void {
    const day = dayOf(now);
    if (day !== this.#day) {
      this.#day = day;
      this.#usedOnDay.clear();
    }
    if (this.#usedOnDay.has(keyId)) return;
    this.#usedOnDay.add(keyId);
    this.#unrecorded.set(keyId, day);
    this.#timer ??= this.#recordIn(this.#pauses.gatherMs);
  }

  /**
   * Records what is not recorded yet, if the store does so soon, and ends.
   *
   * @param seconds that a stop may take; with 0, nothing is recorded any more
   */
  async stop(seconds: number): Promise<void> {
    this.#stopped = true;
    clearTimeout(this.#timer);
    if (seconds === 0) return;
    await within(Math.min(LAST_ATTEMPT_MS, seconds * 1000), this.#record(), () => {}).catch(() => {});
  }

  #recordIn(milliseconds: number): Timer | undefined {
    return this.#stopped ? undefined : setTimeout(() => this.#recordOrRetry(), milliseconds);
  }

  async #recordOrRetry(): Promise<void> {
    try {
      await this.#record();
      this.#hasFailed = false;
      this.#timer = this.#unrecorded.size > 0 ? this.#recordIn(this.#pauses.gatherMs) : undefined;
    } catch (error) {
      // Reported once: the next attempts fail for the same reason.
      if (!this.#hasFailed && !this.#stopped) this.#emit({ event: "key_uses_unrecorded", error });
      this.#hasFailed = true;
      this.#timer = this.#recordIn(this.#pauses.retryMs);
    }
  }

  async #record(): Promise<void> {
    const uses = this.#unrecorded;
    if (uses.size === 0) return;
    this.#unrecorded = new Map();
    try {
      await this.#store.recordKeyUses(uses);
    } catch (error) {
      this.#unrecorded = new Map([...uses, ...this.#unrecorded]);
      throw error;
    }
  }
}
