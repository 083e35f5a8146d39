import { StoreFailure } from "../domain/failure.ts";
import { within } from "../system/within.ts";
import type { WrittenBatch } from "./group-commit.ts";

/** How long a successful transaction proves that the store can be written. */
const PROOF_LIFE_MS = 10_000;
/** How long a check may take if the store was written within that time. A busy store then still counts as writable. */
const BUSY_MAX_MS = 500;

/**
 * Checks that a store can be written. Every successful transaction proves it. If there was none for a while, or the last
 * transaction failed, the check commits a transaction that changes nothing.
 */
export class WriteCheck {
  readonly #tryToWrite: (hasFailed: boolean) => Promise<unknown>;
  readonly #freshMs: number;
  #provenAt = Number.NEGATIVE_INFINITY;
  #hasFailed = false;

  /**
   * @param tryToWrite commits a transaction that changes nothing; rejects with a `StoreFailure` if it cannot. Its argument
   *   says whether the last transaction failed
   * @param freshMs how long after a transaction no check is needed, in milliseconds: less than the life of a proof if
   *   other processes write too, since their failures are not observed here
   */
  constructor(tryToWrite: (hasFailed: boolean) => Promise<unknown>, freshMs = PROOF_LIFE_MS) {
    this.#tryToWrite = tryToWrite;
    this.#freshMs = freshMs;
  }

  /** Records the outcome of a transaction. */
  async observe<Result>(transaction: Promise<Result>): Promise<Result> {
    try {
      const result = await transaction;
      this.#provenAt = performance.now();
      this.#hasFailed = false;
      return result;
    } catch (error) {
      if (error instanceof StoreFailure) {
        this.#provenAt = Number.NEGATIVE_INFINITY;
        this.#hasFailed = true;
      }
      throw error;
    }
  }

  /** Records the outcome of a batch's transaction, and of its confirmation. */
  async observeBatch<Result>(writing: Promise<WrittenBatch<Result>>): Promise<WrittenBatch<Result>> {
    const { results, confirmed } = await this.observe(writing);
    return { results, confirmed: confirmed && this.observe(confirmed) };
  }

  /** @throws StoreFailure if the store cannot be written */
  async check(): Promise<void> {
    const age = performance.now() - this.#provenAt;
    if (age < this.#freshMs) return;
    const trying = this.observe(this.#tryToWrite(this.#hasFailed));
    if (age >= PROOF_LIFE_MS) await trying;
    else await within(BUSY_MAX_MS, trying, () => {});
  }
}
