import { expect, test } from "bun:test";
import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { parse } from "yaml";
import { temporaryFolder } from "../../test/support/folder.ts";
import { requiredProgram } from "../../test/support/installed-programs.ts";
import { isThere, signalAll } from "../../test/support/processes.ts";
import { PROGRAM } from "../../test/support/program.ts";
import { runCommand } from "../../test/support/run-command.ts";
import { until } from "../../test/support/until.ts";

interface Step {
  readonly name?: string;
  readonly run?: string;
}

const text = readFileSync(join(import.meta.dir, "../../examples/ci/github-actions.yml"), "utf8");
const steps: readonly Step[] = parse(text).jobs.client.steps;

/** A client's tests: they need what the job gives them, and read a list. */
const CLIENT = `
const headers = { authorization: "Bearer " + process.env.API_KEY };
const response = await fetch(process.env.ANIMAL_STORE_URL + "/pets", { headers });
if (!response.ok) process.exit(1);
console.log((await response.json()).length + " animals");
`;

test("the job for GitHub Actions starts a sandbox, and tests and judges a client there", async () => {
  using folder = temporaryFolder();
  const at = (name: string) => join(folder.path, name);
  for (const name of ["bin", "client", "temp"]) mkdirSync(at(name));
  symlinkSync(PROGRAM, at("bin/animal-store"));
  writeFileSync(at("client/client.mjs"), CLIENT);
  writeFileSync(at("client/package.json"), '{"scripts":{"test":"node client.mjs"}}');
  writeFileSync(at("environment"), "");
  /** Runs the lines of a step as Actions does: in bash, with what earlier steps wrote to the environment. */
  const run = async (name: string, more = "") => {
    const written = readFileSync(at("environment"), "utf8").split("\n").filter(Boolean);
    const env = {
      ...Object.fromEntries(written.map((line) => line.split(/=(.*)/s))),
      PATH: `${at("bin")}:${process.env.PATH}`,
      RUNNER_TEMP: at("temp"),
      GITHUB_ENV: at("environment"),
    };
    const lines = steps.find((step) => step.name === name)?.run ?? "";
    return await runCommand([requiredProgram("bash"), "-e", "-c", lines + more], { cwd: at("client"), env });
  };
  try {
    await run("Start the sandbox");
    expect((await run("Test the client")).stdout).toContain("20 animals");
    // The client neither repeats requests nor reads the other pages, and the job says so.
    const { stdout } = await run("Judge the client", " || echo ended with $?");
    expect(stdout).toContain("ended with 1");
    expect(readFileSync(at("client/judge.xml"), "utf8")).toContain("<testsuite");
    expect((await run("What the sandbox did")).stdout).toContain("listening on");
  } finally {
    const { pid } = JSON.parse(readFileSync(at("temp/sandbox.json"), "utf8"));
    signalAll([pid], "SIGTERM");
    await until(() => !isThere(pid));
  }
});

test("the job for GitHub Actions fails at once, and says why, when the sandbox cannot start", async () => {
  using folder = temporaryFolder();
  const program = join(folder.path, "animal-store");
  writeFileSync(program, '#!/bin/sh\necho "no port is free" >&2\nexit 2\n', { mode: 0o755 });
  const lines = steps.find(({ name }) => name === "Start the sandbox")?.run ?? "";
  const env = {
    PATH: `${folder.path}:${process.env.PATH}`,
    RUNNER_TEMP: folder.path,
    GITHUB_ENV: "/dev/null",
  };
  const started = runCommand([requiredProgram("bash"), "-e", "-c", lines], { cwd: folder.path, env });
  await expect(started).rejects.toThrow("no port is free");
});

test("every line that the job for GitHub Actions runs is bash, and every expression is the runner's own", async () => {
  for (const { run = "" } of steps) {
    await runCommand([requiredProgram("bash"), "-n", "-c", run], { cwd: import.meta.dir });
    expect(run).not.toContain("${{");
  }
});
