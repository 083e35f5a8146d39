import { UnusableStore } from "./errors.ts";

/**
 * The version of 0.2.0, the first release: both engines count their migrations from here. Lower versions were made
 * before it and are refused, since their migrations are gone.
 */
export const FIRST_SCHEMA_VERSION = 10;

/**
 * Whether a store's schema can be used, or brought up to this program's.
 *
 * @param found 0 where there is no store yet
 * @param wanted the version that this program needs
 * @param store its name for messages
 * @throws UnusableStore that says what to do
 */
export function assertSchemaVersion(found: number, wanted: number, store: string): void {
  if (found > wanted) {
    throw new UnusableStore(
      `${store} has schema version ${found}; this program knows versions up to ${wanted}. ` +
        "Start a version of Animal Store at least as new as the one that wrote it.",
    );
  }
  assertReleased(found, store);
}

/**
 * Whether a store's schema is that of a release, be it newer than this program's.
 *
 * @throws UnusableStore that says what to do
 */
export function assertReleased(found: number, store: string): void {
  if (found > 0 && found < FIRST_SCHEMA_VERSION) {
    throw new UnusableStore(
      `${store} has schema version ${found}, from before release 0.2.0, and this program cannot use it. Export its ` +
        "animals with the program that made it (`animal-store export animals.ndjson`), and import them into a new " +
        "store with this one (`animal-store import animals.ndjson`): they keep their ids, and need new API keys.",
    );
  }
}
