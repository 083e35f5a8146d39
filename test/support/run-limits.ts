/** For a test that is long by design, in milliseconds. Every other test has the limit that `bin/runtime` sets. */
export const LONG_RUN_MS = 45 * 60_000;

/**
 * After so long a page does not become what a test waits for. It is less than the limit of a suite's test, at which the
 * runner kills the browser too, and with it every later test of the file.
 */
export const BROWSER_WAIT_MS = 4 * 60_000;

/** For a hook that packs or installs packages: on a busy machine, `npm test`'s limit of a test is too short for it. */
export const PACKING_MS = 5 * 60_000;

/** Throws in `npm test -- quick`, whose files start nothing that takes seconds. */
export function assertNotQuick(what: string): void {
  if (process.env.TEST_QUICK)
    throw new Error(`\`npm test -- quick\` starts no ${what}: see suites/catalogue.ts`);
}
