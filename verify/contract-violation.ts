/** An answer, or a lack of one, that the contract does not allow; the message says what is wrong with it. */
export class ContractViolation extends Error {}

/** A promise that broke, with what it takes to understand it and to see it again. */
export interface Failure {
  readonly expected: string;
  readonly actual: string;
  /** What brought it: a `curl` line, or the bytes, without any key. */
  readonly request?: string;
}

/** Ends a check: its promise does not hold. */
export class BrokenPromise extends Error {
  readonly failure: Failure;

  constructor(failure: Failure) {
    super(`expected ${failure.expected}; ${failure.actual} came`);
    this.failure = failure;
  }
}

/** Ends a check that can show nothing here: the service had no time to answer, or refused to for a while. */
export class Inconclusive extends Error {
  /** What to do about it. */
  readonly advice: string;

  constructor(reason: string, advice: string) {
    super(reason);
    this.advice = advice;
  }

  /** A 503 says that the service cannot answer now, and promises nothing else. */
  static of503(body: { toString(): string }): Inconclusive {
    return new Inconclusive(
      `the service answered 503 where it was to show something: ${body.toString().slice(0, 300)}`,
      "The store had no time or could not be used. Look at the disk and at what else runs here, and try again.",
    );
  }
}

/** Throws `BrokenPromise` unless something holds. */
export function assertThat(
  holds: boolean,
  expected: string,
  actual: string,
  request?: string,
): asserts holds {
  if (!holds) throw new BrokenPromise({ expected, actual, ...(request !== undefined && { request }) });
}
