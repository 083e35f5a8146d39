import { serveAsWorker } from "../service/worker.ts";

/** `animal-store worker`: one of the processes that `serve` starts if there are to be several. */
export async function work(): Promise<void> {
  await serveAsWorker();
}
