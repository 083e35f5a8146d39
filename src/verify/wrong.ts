/** An answer, or a lack of one, that the contract does not allow; the message says what is wrong with it. */
export class Wrong extends Error {}

/** A promise that broke, with what it takes to understand it and to see it again. */
export interface Fault {
  readonly expected: string;
  readonly came: string;
  /** What brought it: a `curl` line, or the bytes, without any key. */
  readonly request?: string;
}

/** Ends a check: its promise does not hold. */
export class Broke extends Error {
  readonly fault: Fault;

  constructor(fault: Fault) {
    super(`expected ${fault.expected}; ${fault.came} came`);
    this.fault = fault;
  }
}

/** Throws `Broke` unless something holds. */
export function hold(holds: boolean, expected: string, came: string, request?: string): asserts holds {
  if (!holds) throw new Broke({ expected, came, ...(request !== undefined && { request }) });
}
