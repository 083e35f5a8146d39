import {
  type Browser,
  type BrowserContextOptions,
  chromium,
  type LaunchOptions,
  type Page,
} from "playwright-core";
import { temporaryFolder } from "../support/folder.ts";
import { type Executable, findChromium } from "./chromium.ts";

/** What a caller may choose of the driver. */
export type DriverOptions = Pick<LaunchOptions, "args" | "ignoreDefaultArgs">;

/** A browser in a folder of its own, gone with `await using`. */
export interface LaunchedBrowser extends AsyncDisposable {
  /** Opens an empty page in a fresh profile. */
  newPage(options?: BrowserContextOptions): Promise<Page>;
}

/**
 * Starts npm's browser, or the given one. It listens to a pipe of this process, so it ends with it, however that ends.
 */
export async function launchBrowser(
  executable?: Executable,
  options: DriverOptions = {},
): Promise<LaunchedBrowser> {
  await using cleanup = new AsyncDisposableStack();
  const folder = cleanup.use(temporaryFolder());
  const { executablePath, env } = executable ?? (await findChromium(folder.path));
  const own = { HOME: folder.path, TMPDIR: folder.path };
  const browser = cleanup.use(
    await launch({ executablePath, env: { ...process.env, ...own, ...env }, ...options }),
  );
  const held = cleanup.move();
  return {
    newPage: (options) => browser.newPage(options),
    [Symbol.asyncDispose]: () => held.disposeAsync(),
  };
}

const LAUNCHES_MAX = 3;

/** On a busy machine, Chromium crashes at about one start in a hundred, which says nothing about the pages. */
async function launch(options: LaunchOptions): Promise<Browser> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await chromium.launch(options);
    } catch (error) {
      if (attempt === LAUNCHES_MAX) throw error;
    }
  }
}
