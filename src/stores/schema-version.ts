import { UnusableStore } from "./errors.ts";

/**
 * The version of 0.2.0, the first release, from which both engines count their migrations. Lower versions are from before
 * the release and are refused, since their migrations are gone.
 */
export const FIRST_SCHEMA_VERSION = 10;

/**
 * Asserts that this program can use a store's schema, or migrate it.
 *
 * @param found the version of the store; 0 if there is none yet
 * @param wanted the version that this program needs
 * @param store the name of the store in messages
 * @throws UnusableStore that says what to do
 */
export function assertSchemaVersion(found: number, wanted: number, store: string): void {
  if (found > wanted) {
    throw new UnusableStore(
      `${store} has schema version ${found}; this program knows versions up to ${wanted}. ` +
        "Start a version of Animal Store at least as new as the version that wrote it.",
    );
  }
  assertReleased(found, store);
}

/**
 * Asserts that a store's schema is from a release, which may be newer than this program.
 *
 * @throws UnusableStore that says what to do
 */
export function assertReleased(found: number, store: string): void {
  if (found > 0 && found < FIRST_SCHEMA_VERSION) {
    throw new UnusableStore(
      `${store} has schema version ${found}, from before release 0.2.0, and this program cannot use it. Export its ` +
        "animals with the program that made it (`animal-store export animals.ndjson`), and import them into a new " +
        "store with this program (`animal-store import animals.ndjson`): they keep their ids, and need new API keys.",
    );
  }
}
