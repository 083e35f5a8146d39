import { expect, test } from "bun:test";
import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { parse } from "yaml";
import { temporaryFolder } from "../../test/support/folder.ts";
import { freePort } from "../../test/support/free-port.ts";
import { requiredProgram } from "../../test/support/installed-programs.ts";
import { isThere, signalAll } from "../../test/support/processes.ts";
import { PROGRAM } from "../../test/support/program.ts";
import { runCommand } from "../../test/support/run-command.ts";
import { until } from "../../test/support/until.ts";

interface Step {
  readonly name?: string;
  readonly run?: string;
}

const text = readFileSync(join(import.meta.dir, "../../examples/ci/judge-receiver.yml"), "utf8");
const steps: readonly Step[] = parse(text).jobs.receiver.steps;
const RECEIVER = join(import.meta.dir, "receivers/receiver.mjs");

test("the job for GitHub Actions starts a receiver and judges it", async () => {
  using folder = temporaryFolder();
  const at = (name: string) => join(folder.path, name);
  for (const name of ["bin", "receiver", "temp"]) mkdirSync(at(name));
  symlinkSync(PROGRAM, at("bin/animal-store"));
  // It notes its process, so that the test can end it.
  const start = `echo $$ > ../temp/pid; SECRETS="$WEBHOOK_SECRET" exec node ${RECEIVER}`;
  writeFileSync(at("receiver/package.json"), JSON.stringify({ scripts: { start } }));
  const env = { PATH: `${at("bin")}:${process.env.PATH}`, RUNNER_TEMP: at("temp"), PORT: `${freePort()}` };
  const run = (name: string) => {
    const lines = steps.find((step) => step.name === name)?.run ?? "";
    return runCommand([requiredProgram("bash"), "-e", "-c", lines], { cwd: at("receiver"), env });
  };
  try {
    await run("Start the receiver");
    expect((await run("Judge the receiver")).stdout).toContain("23 passed, 2 skipped: 100 of 100");
    expect(readFileSync(at("receiver/receiver.xml"), "utf8")).toContain("<testsuite");
    await run("What the receiver said");
  } finally {
    const pid = Number(readFileSync(at("temp/pid"), "utf8"));
    signalAll([pid], "SIGTERM");
    await until(() => !isThere(pid));
  }
});
