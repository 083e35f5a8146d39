import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Call, callsFile } from "../call.ts";

/** A temporary folder from which a load generator reads its calls; `using` removes it. */
export class CallsFolder implements Disposable {
  readonly #path = mkdtempSync(join(tmpdir(), "animal-store-bench-calls-"));
  #files = 0;

  /** Writes the calls into a file and returns its path. */
  write(address: string, calls: readonly Call[]): string {
    const file = join(this.#path, `${++this.#files}`);
    writeFileSync(file, callsFile(address, calls));
    return file;
  }

  [Symbol.dispose](): void {
    rmSync(this.#path, { recursive: true, force: true });
  }
}
