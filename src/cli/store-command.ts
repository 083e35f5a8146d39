import type { Config } from "../config/settings.ts";
import type { BulkAccess, BulkStore } from "../domain/transfer.ts";
import { openBulkStore } from "../stores/open.ts";
import { storeName } from "../stores/url.ts";
import { configOf } from "./options.ts";
import { Output } from "./output.ts";
import { reportWaiting } from "./report-waiting.ts";

/** The flags of a command and their values, as commander returns them. */
export type Options = Readonly<Record<string, unknown>>;

/** A command that works on the store of its configuration. */
export class StoreCommand {
  readonly config: Config;
  readonly output: Output;
  /** The store as messages name it: without a password. */
  readonly storeName: string;

  constructor(options: Options) {
    this.config = configOf(options).config;
    this.output = new Output(options);
    this.storeName = storeName(this.config.DATABASE_URL);
  }

  /** Opens the store as `openForCommand` does. */
  open(access: BulkAccess): Promise<BulkStore> {
    return openForCommand(this.config.DATABASE_URL, access, this.output);
  }
}

/**
 * Opens a store to move or correct its contents, and reports what that work waits for.
 *
 * @throws UnusableStore if it cannot be used as it is; StoreFailure if it cannot be reached
 */
export function openForCommand(url: string, access: BulkAccess, output: Output): Promise<BulkStore> {
  return openBulkStore(url, access, Date.now, reportWaiting(output));
}
