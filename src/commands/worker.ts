import { CommandFailure } from "../cli/errors.ts";
import { serveAsWorker } from "../service/worker.ts";
import { hasSupervisor } from "../workers/worker-main.ts";

/** `animal-store worker`: one of the processes that `serve` starts if there are to be several. */
export async function work(): Promise<void> {
  if (!hasSupervisor()) {
    throw new CommandFailure("a worker is started by `serve`, with WORKERS or --workers.", 2);
  }
  await serveAsWorker();
}
