import { counted } from "../cli/counts.ts";
import { type Options, StoreCommand } from "../cli/store-command.ts";
import { rfc3339 } from "../domain/time.ts";
import type { FeedStatus } from "../domain/transfer.ts";
import { Interruption } from "../process/on-signal.ts";

/** `animal-store events`: whether changes are recorded as events, and which events are kept. `--off` ends the recording. */
export async function manageEvents(options: Options): Promise<void> {
  const command = new StoreCommand(options);
  const { output, storeName } = command;
  const off = options.off === true;
  using interruption = new Interruption(`Nothing was changed in ${storeName}.`);
  await using store = await command.open(off ? "change" : "read");
  if (off) {
    interruption.outcome = `Changes of ${storeName} are either recorded as before or not at all.`;
    await store.stopRecording();
    interruption.outcome = `Changes of ${storeName} are not recorded.`;
  }
  const status = await store.feedStatus();
  const oldestAt = status.oldestAt === undefined ? null : rfc3339(status.oldestAt);
  await output.answer(
    { store: storeName, ...status, oldestAt },
    `${describe(storeName, status, oldestAt)}\n`,
  );
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
