/** For a test that is long by design, in milliseconds. Every other test has the limit that `bin/runtime` sets. */
export const LONG_RUN_MS = 45 * 60_000;
