import { UnusableStore } from "../errors.ts";
import type { StoreKind } from "../opened-store.ts";

/**
 * The number in SQLite's header that distinguishes our files from those of other programs
 * (sqlite.org/pragma.html#pragma_application_id). A sandbox's store has its own, because its API keys are public: every
 * command but `sandbox` refuses it, so those keys work nowhere else.
 */
export const APPLICATION_IDS: Readonly<Record<StoreKind, number>> = {
  service: 0x41_4e_53_54, // "ANST"
  sandbox: 0x41_4e_53_42, // "ANSB"
};

/** @throws UnusableStore if a file that is not empty belongs to another program, or to another kind of store */
export function assertApplicationId(found: number, file: string, kind: StoreKind = "service"): void {
  if (found === APPLICATION_IDS[kind]) return;
  if (found === APPLICATION_IDS.sandbox) {
    throw new UnusableStore(
      `${file} is a sandbox's store, and its API keys are public: only \`animal-store sandbox --store\` opens it. ` +
        "Name another file.",
    );
  }
  if (found === APPLICATION_IDS.service) {
    throw new UnusableStore(
      `${file} is the store of a service, and a sandbox would give it public API keys. Name another file, or none: ` +
        "a sandbox without `--store` uses a temporary file.",
    );
  }
  throw new UnusableStore(`${file} is an SQLite database, but not an Animal Store's. Name another file.`);
}
