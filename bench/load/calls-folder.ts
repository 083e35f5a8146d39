import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Call, callsFile } from "../call.ts";

/** Where a load generator's process finds its calls; gone with `using`. */
export class CallsFolder implements Disposable {
  readonly #path = mkdtempSync(join(tmpdir(), "animal-store-bench-calls-"));
  #files = 0;

  /** Returns the path of a file that holds the calls. */
  write(address: string, calls: readonly Call[]): string {
    const file = join(this.#path, `${++this.#files}`);
    writeFileSync(file, callsFile(address, calls));
    return file;
  }

  [Symbol.dispose](): void {
    rmSync(this.#path, { recursive: true, force: true });
  }
}
