import { StoreFailure } from "../domain/failure.ts";

/** How long what was written shows that more can be. */
const PROOF_LIFE_MS = 10_000;

/**
 * Knows whether a store can be written. Each transaction shows it; where there was none for a while, or the
 * last one failed, only another one can: one that changes nothing.
 */
export class WriteProof {
  readonly #tryToWrite: () => Promise<unknown>;
  #provenAt = Number.NEGATIVE_INFINITY;

  /** @param tryToWrite commits what changes nothing; rejects with a `StoreFailure` when it cannot */
  constructor(tryToWrite: () => Promise<unknown>) {
    this.#tryToWrite = tryToWrite;
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
    if (performance.now() - this.#provenAt >= PROOF_LIFE_MS) await this.observe(this.#tryToWrite());
  }
}
