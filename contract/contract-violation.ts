/** A response, or a missing response, that the contract does not allow; the message says what is wrong. */
export class ContractViolation extends Error {}

/** How a promise was broken, with everything needed to understand and repeat it. */
export interface Failure {
  readonly expected: string;
  readonly actual: string;
  /** The request as a `curl` command or as bytes, without any key. */
  readonly request?: string;
}

/** Ends a check: its promise is broken. */
export class BrokenPromise extends Error {
  readonly failure: Failure;

  constructor(failure: Failure) {
    super(`expected ${failure.expected}; ${failure.actual} came`);
    this.failure = failure;
  }
}

/** Ends a check that can prove nothing here: the service had no time to answer, or was unavailable. */
export class Inconclusive extends Error {
  /** What the operator can do about it. */
  readonly advice: string;

  constructor(reason: string, advice: string) {
    super(reason);
    this.advice = advice;
  }

  /** For a response that did not come in time, which may be the machine's fault. */
  static ofSilence(reason: string): Inconclusive {
    return new Inconclusive(
      reason,
      "The machine is too slow or too busy, or the service hangs. Try again when the machine is less busy.",
    );
  }

  /** For a 503, which says only that the service cannot answer now. */
  static of503(body: { toString(): string }): Inconclusive {
    return new Inconclusive(
      `the service answered 503, which proves nothing: ${body.toString().slice(0, 300)}`,
      "The store had no time or could not be used. Check the disk and the load of this machine, and try again.",
    );
  }
}

/** Throws `BrokenPromise` unless a condition holds. */
export function assert(holds: boolean, expected: string, actual: string, request?: string): asserts holds {
  if (!holds) throw new BrokenPromise({ expected, actual, ...(request !== undefined && { request }) });
}

/** Throws `BrokenPromise` unless a text is as expected. */
export function assertSame(actual: string, expected: string, request?: string): void {
  assert(actual === expected, expected, actual, request);
}
