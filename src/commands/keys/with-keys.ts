import type { Output } from "../../cli/output.ts";
import { reportWaiting } from "../../cli/report-waiting.ts";
import { type Options, StoreCommand } from "../../cli/store-command.ts";
import type { Config } from "../../config/settings.ts";
import type { Store } from "../../domain/store.ts";
import { Interruption } from "../../process/on-signal.ts";
import { openStore } from "../../stores/open.ts";

/** One run of a command on the keys of a store. */
interface Run {
  readonly config: Config;
  readonly output: Output;
  readonly storeName: string;
  readonly store: Store;
  readonly interruption: Interruption;
}

/** Opens the store of a command on its keys, and closes it at the end. */
export async function withKeys(options: Options, work: (run: Run) => Promise<void>): Promise<void> {
  const { config, output, storeName } = new StoreCommand(options);
  using interruption = new Interruption(`The keys of ${storeName} are unchanged.`);
  const store = await openStore(config.DATABASE_URL, Date.now, {
    access: "existing",
    emit: reportWaiting(output),
    patient: true,
  });
  try {
    await work({ config, output, storeName, store, interruption });
  } finally {
    await store.close();
  }
}
