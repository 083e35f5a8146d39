import { mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** A folder of a test's own, gone with `using`. */
export interface TemporaryFolder extends Disposable {
  readonly path: string;
}

/** With `TEST_KEEP_FOLDERS=1` the folder stays for inspection, and its path is printed. */
export function temporaryFolder(): TemporaryFolder {
  const path = realpathSync(mkdtempSync(join(tmpdir(), "animal-store-test-")));
  return { path, [Symbol.dispose]: () => remove(path) };
}

function remove(path: string): void {
  if (process.env.TEST_KEEP_FOLDERS === "1") console.error(`kept ${path}`);
  else rmSync(path, { recursive: true, force: true });
}
