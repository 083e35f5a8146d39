import { cpSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { temporaryFolder } from "../../test/support/folder.ts";
import { patched } from "../../test/support/patch.ts";
import { TIED } from "../../test/support/program.ts";
import type { Mutant } from "./mutant.ts";

const ROOT = join(import.meta.dir, "../..");
/** What a copy does without, or shares with the original. */
const NOT_COPIED = new Set([".git", "node_modules", "data"]);
/** A mutant may make its test hang: that is noticed too. */
const HANG_MS = 60_000;
/** How much of a run's output an error shows, in characters. */
const SHOWN_MAX = 4000;

/** A copy of the repository in which one mutant at a time is put to the test; gone with `using`. */
export class Workshop implements Disposable {
  readonly #folder = temporaryFolder();

  constructor() {
    const { path } = this.#folder;
    for (const name of readdirSync(ROOT).filter((name) => !NOT_COPIED.has(name))) {
      cpSync(join(ROOT, name), join(path, name), { recursive: true });
    }
    mkdirSync(join(path, "node_modules"));
    for (const name of readdirSync(join(ROOT, "node_modules"))) {
      symlinkSync(join(ROOT, "node_modules", name), join(path, "node_modules", name));
    }
  }

  /**
   * Breaks the copy, runs the test that must notice, and repairs the copy.
   *
   * @throws Error where the mutant is stale, or its test does not fail
   */
  async try(mutant: Mutant): Promise<void> {
    const path = join(this.#folder.path, mutant.file);
    const source = readFileSync(path, "utf8");
    writeFileSync(path, patched(source, mutant));
    try {
      await this.#expectNoticed(mutant);
    } finally {
      writeFileSync(path, source);
    }
  }

  async #expectNoticed({ noticedBy, title }: Mutant): Promise<void> {
    const escaped = title.replaceAll(/[.*+?^${}()|[\]\\]/g, "\\$&");
    const runtime = join(this.#folder.path, "bin/runtime");
    const limit = `--timeout=${HANG_MS}`;
    const command = [...TIED, runtime, "test", limit, `./${noticedBy}`, "-t", escaped, "--bail"];
    await using run = Bun.spawn(command, {
      cwd: this.#folder.path,
      stdin: "ignore",
      stdout: "ignore",
      stderr: "pipe",
    });
    const output = await new Response(run.stderr).text();
    const exitCode = await run.exited;
    const failed = output.split("\n").some((line) => line.startsWith("(fail) ") && line.includes(title));
    if (exitCode === 0 || !failed) {
      throw new Error(`\`${title}\` in ${noticedBy} did not fail:\n${output.slice(-SHOWN_MAX)}`);
    }
  }

  [Symbol.dispose](): void {
    this.#folder[Symbol.dispose]();
  }
}
