import type { Store } from "../domain/store.ts";
import type { OpenedStore } from "../stores/opened-store.ts";
import type { Telemetry } from "./telemetry.ts";

/**
 * Closes the store of a service that stops. If its files were replaced, the process ends instead: only a signal that
 * nobody can handle ends it without closing its databases.
 *
 * @param store the opened store, or what observes it
 */
export async function closeStore(opened: OpenedStore, store: Store, telemetry: Telemetry): Promise<void> {
  if (opened.wasReplaced?.()) {
    await telemetry.close();
    process.kill(process.pid, "SIGKILL");
  }
  await store.close();
}
