import { counted } from "../cli/counts.ts";
import { Interruption } from "../cli/on-signal.ts";
import { configOf } from "../cli/options.ts";
import { Output } from "../cli/output.ts";
import { reportWaiting } from "../cli/report-waiting.ts";
import type { FeedStatus } from "../domain/transfer.ts";
import { openBulkStore } from "../stores/open-bulk.ts";
import { storeName } from "../stores/url.ts";

/** `animal-store events`: whether changes are recorded as events, and which events are kept. `--off` ends the recording. */
export async function manageEvents(options: Record<string, unknown>): Promise<void> {
  const { config } = configOf(options);
  const output = new Output(options);
  const name = storeName(config.DATABASE_URL);
  const off = options.off === true;
  using interruption = new Interruption(`Nothing was changed in ${name}.`);
  const access = off ? "change" : "read";
  const store = await openBulkStore(config.DATABASE_URL, access, Date.now, reportWaiting(output));
  try {
    if (off) {
      interruption.outcome = `Changes of ${name} are either recorded as before or not at all.`;
      await store.stopRecording();
      interruption.outcome = `Changes of ${name} are not recorded.`;
    }
    const status = await store.feedStatus();
    const oldestAt = status.oldestAt === undefined ? null : new Date(status.oldestAt).toISOString();
    await output.answer({ store: name, ...status, oldestAt }, `${describe(name, status, oldestAt)}\n`);
  } finally {
    await store.close();
  }
}

function describe(name: string, { recording, kept, newestId }: FeedStatus, oldestAt: string | null): string {
  const state = recording
    ? `Changes of ${name} are recorded as events.`
    : `Changes of ${name} are not recorded. A service with STABILITY=experimental starts that.`;
  if (newestId === 0n) return `${state} There was no event yet.`;
  const since = oldestAt === null ? "" : `, from ${oldestAt} on`;
  const verb = kept === 1 ? "is" : "are";
  return `${state} ${counted(kept, "event")} ${verb} kept${since}; the newest id is ${newestId}.`;
}
