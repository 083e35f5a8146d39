import type { ObservationSink } from "../../../observations/observation.ts";
import { describeLockHolders, type Wait } from "./lock-holders.ts";

/** How often to report the same wait again. */
const REPORT_AGAIN_MS = 60_000;
/** How soon to report another wait. A server that is too busy makes each write wait for others. */
const REPORT_OTHER_MS = 5000;
const LOOK_EVERY_MS = 1000;

/** Observes what some work in the database waits for, and reports it. */
export class LockWait {
  readonly #work: string;
  readonly #emit: ObservationSink;
  #last: Pick<Wait, "holders" | "description"> | undefined;
  #reported = "";
  #reportedAt = Number.NEGATIVE_INFINITY;

  /** @param work the name of the work, for example "the change of the schema" */
  constructor(work: string, emit: ObservationSink) {
    this.#work = work;
    this.#emit = emit;
  }

  /** The lock holders that were seen last, in words. */
  get description(): string {
    return this.#last?.description ?? describeLockHolders([]);
  }

  /**
   * Looks for a wait regularly, until the result is disposed of.
   *
   * @param look finds the wait, if any. If it fails, the next look tries again
   * @param onWait called after each look that found a wait
   */
  watch(
    look: () => Promise<Wait | undefined>,
    onWait = () => this.report(),
    everyMs = LOOK_EVERY_MS,
  ): Disposable {
    const timer = setInterval(() => void this.look(look, onWait), everyMs);
    return { [Symbol.dispose]: () => clearInterval(timer) };
  }

  /** Looks once, as `watch` does again and again. */
  async look(look: () => Promise<Wait | undefined>, onWait = () => this.report()): Promise<void> {
    const wait = await look().catch(() => undefined);
    if (!wait) return;
    this.note(wait);
    onWait();
  }

  note(wait: Wait): void {
    this.#last = wait;
  }

  /** Reports the wait that was seen last, unless that happened recently. Until one was seen there is nobody to name. */
  report(): void {
    if (!this.#last) return;
    const { holders, description } = this.#last;
    const now = performance.now();
    const pauseMs = description === this.#reported ? REPORT_AGAIN_MS : REPORT_OTHER_MS;
    if (now - this.#reportedAt < pauseMs) return;
    this.#reported = description;
    this.#reportedAt = now;
    this.#emit({ event: "waiting_for_locks", work: this.#work, holders, description });
  }
}
