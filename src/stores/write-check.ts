import { StoreFailure } from "../domain/failure.ts";

/** How long what was written shows that more can be. */
const PROOF_LIFE_MS = 10_000;
/** How long a store that was written within that time may be busy. */
const BUSY_MAX_MS = 500;

/**
 * Knows whether a store can be written. Each transaction shows it; where there was none for a while, or the
 * last one failed, only another one can: one that changes nothing.
 */
export class WriteCheck {
  readonly #tryToWrite: () => Promise<unknown>;
  readonly #freshMs: number;
  #provenAt = Number.NEGATIVE_INFINITY;

  /**
   * @param tryToWrite commits what changes nothing; rejects with a `StoreFailure` when it cannot
   * @param freshMs for how long it need not even be asked, in milliseconds: shorter than the life of a proof where
   *   other processes write as well, whose failures are not observed here
   */
  constructor(tryToWrite: () => Promise<unknown>, freshMs = PROOF_LIFE_MS) {
    this.#tryToWrite = tryToWrite;
    this.#freshMs = freshMs;
  }

  /** Takes note of what becomes of a transaction. */
  async observe<Result>(transaction: Promise<Result>): Promise<Result> {
    try {
      const result = await transaction;
      this.#provenAt = performance.now();
      return result;
    } catch (error) {
      if (error instanceof StoreFailure) this.#provenAt = Number.NEGATIVE_INFINITY;
      throw error;
    }
  }

  /** @throws StoreFailure when the store cannot be written */
  async check(): Promise<void> {
    const age = performance.now() - this.#provenAt;
    if (age < this.#freshMs) return;
    const trying = this.observe(this.#tryToWrite());
    if (age >= PROOF_LIFE_MS) await trying;
    else await Promise.race([trying, Bun.sleep(BUSY_MAX_MS)]);
  }
}
