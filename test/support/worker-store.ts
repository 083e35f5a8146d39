import type { Store } from "../../src/domain/store.ts";
import { openStore } from "../../src/stores/open.ts";
import { DistantWriter, writeFor } from "../../src/workers/distant-writer.ts";
import { WorkerStore } from "../../src/workers/worker-store.ts";

/** A store as a worker has it, whose writer is in this process: all that they say goes as text. */
export async function openWorkerStore(url: string, clock: () => number): Promise<Store> {
  const store = await openStore(url, clock);
  const writer = new DistantWriter(async (request) => {
    const answer = await writeFor(store, JSON.parse(JSON.stringify(request)));
    writer.settle(JSON.parse(JSON.stringify(answer)));
  });
  return new WorkerStore(store, writer);
}
