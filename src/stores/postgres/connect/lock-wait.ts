import type { EventSink } from "../../../domain/event.ts";
import { describeLockHolders, type Wait } from "./lock-holders.ts";

/** How often it is told what is waited for, while that does not change. */
const TELL_AGAIN_MS = 60_000;
const LOOK_EVERY_MS = 1000;

/** Knows what some work in the database waits for, and tells it. */
export class LockWait {
  readonly #work: string;
  readonly #emit: EventSink;
  #last: Wait = { holders: [], description: describeLockHolders([]) };
  #told = "";
  #toldAt = Number.NEGATIVE_INFINITY;

  /** @param work names what waits, as in "the change of the schema" */
  constructor(work: string, emit: EventSink) {
    this.#work = work;
    this.#emit = emit;
  }

  /** Names those that were last seen to hold what is waited for. */
  get description(): string {
    return this.#last.description;
  }

  /**
   * Looks again and again, until it is disposed of, what is waited for.
   *
   * @param look finds it; where that fails, the next look tells
   * @param onWait called when something is waited for
   */
  watch(
    look: () => Promise<Wait | undefined>,
    onWait = () => this.tell(),
    everyMs = LOOK_EVERY_MS,
  ): Disposable {
    const timer = setInterval(async () => {
      const wait = await look().catch(() => undefined);
      if (wait) this.note(wait);
      if (wait) onWait();
    }, everyMs);
    return { [Symbol.dispose]: () => clearInterval(timer) };
  }

  note(wait: Wait): void {
    this.#last = wait;
  }

  /** Tells what was last seen, unless it was told a moment ago. */
  tell(): void {
    const { holders, description } = this.#last;
    const now = performance.now();
    if (description === this.#told && now - this.#toldAt < TELL_AGAIN_MS) return;
    this.#told = description;
    this.#toldAt = now;
    this.#emit({ event: "waiting_for_locks", work: this.#work, holders, description });
  }
}
