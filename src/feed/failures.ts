import type { ObservationSink } from "../observations/observation.ts";

/** Reports each cause once until the feed can be read again, although every retry meets it. */
export class FeedFailures {
  readonly #emit: ObservationSink;
  readonly #causes = new Set<string>();

  constructor(emit: ObservationSink) {
    this.#emit = emit;
  }

  report(error: unknown): void {
    const cause = String(error);
    if (this.#causes.has(cause)) return;
    this.#causes.add(cause);
    this.#emit({ event: "feed_failed", error });
  }

  /** Called when the feed has been read. */
  clear(): void {
    this.#causes.clear();
  }
}
