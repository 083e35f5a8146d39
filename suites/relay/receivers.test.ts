import { afterAll, beforeAll, expect, test } from "bun:test";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { toFacts } from "../../judge/report/facts.ts";
import { RECEIVER_RULES } from "../../receiver-judge/rules.ts";
import { OTHER, OWN, RETIRED } from "../../test/receiver-judge/habitual-receiver.ts";
import { temporaryFolder } from "../../test/support/folder.ts";
import { requiredProgram } from "../../test/support/installed-programs.ts";
import { run } from "../../test/support/program.ts";
import { runCommand } from "../../test/support/run-command.ts";
import { until } from "../../test/support/until.ts";
import { Child } from "../../verify/child.ts";
import { RECEIVERS } from "./receivers/collection.ts";

// The judge of receivers is itself judged: each receiver of the collection has the verdict that a person gave it.

const SOURCES = join(import.meta.dir, "receivers");
/** In seconds: what works before it responds takes longer. */
const TIMEOUT = "2";
/** The same for all others, which respond at once, on a busy machine, too. */
const UNHURRIED = "15";

const built = temporaryFolder();
/** How a receiver in a language is started. */
const COMMANDS = {
  js: () => [requiredProgram("node"), join(SOURCES, "receiver.mjs")],
  python: () => [requiredProgram("python3"), join(SOURCES, "receiver.py")],
  go: () => [join(built.path, "receiver")],
};

beforeAll(async () => {
  // Debian's Go is kept off the path, since it is too old for other suites.
  const go = Bun.which("go") ?? requiredProgram("/usr/lib/go-1.19/bin/go", "golang-1.19-go");
  const command = [go, "build", "-o", join(built.path, "receiver"), join(SOURCES, "receiver.go")];
  await runCommand(command, { cwd: built.path, env: { GO111MODULE: "off" } });
});
afterAll(() => built[Symbol.dispose]());

for (const { language, habits, breaks } of RECEIVERS) {
  const name = habits.length > 0 ? habits.join(", and ") : "does nothing wrong";
  // They wait for most of their time.
  test.concurrent(`a receiver in ${language} that ${name} gets the verdict of a person`, async () => {
    using folder = temporaryFolder();
    writeFileSync(join(folder.path, "secret"), `${OWN}\n${OTHER}\n`);
    writeFileSync(join(folder.path, "retired"), RETIRED);
    await using receiver = new Child([...COMMANDS[language](), ...habits], {
      cwd: folder.path,
      env: { ...process.env, SECRETS: `${OWN} ${OTHER}` },
    });
    await until(() => receiver.output.includes("\n"));
    const address = `http://127.0.0.1:${receiver.output.trim()}`;
    const secrets = ["--secret-file", "secret", "--retired-secret-file", "retired"];
    const timeout = breaks.includes("in-time") ? TIMEOUT : UNHURRIED;
    const options = ["--probe", `${address}/acted`, "--timeout", timeout, "--seed", "1", "--json"];
    const args = ["sandbox", "judge-receiver", `${address}/hooks`, ...secrets, ...options];
    const { stdout } = await run(args, { cwd: folder.path });
    const { rules } = JSON.parse(stdout) as ReturnType<typeof toFacts>;
    const of = (verdict: string) => rules.filter((rule) => rule.verdict === verdict);
    const evidence = of("failed").flatMap((rule) => rule.evidence);
    expect(
      of("failed")
        .map(({ id }) => id)
        .sort(),
      evidence.join("\n"),
    ).toEqual([...breaks].sort());
    if (breaks.length === 0) expect(of("untested")).toEqual([]);
  });
}

test("the note has the confusion table of the collection", () => {
  const broken = RECEIVERS.reduce((sum, { breaks }) => sum + breaks.length, 0);
  const kept = RECEIVERS.length * RECEIVER_RULES.length - broken;
  const note = readFileSync(join(import.meta.dir, "../../bench/notes/judges.md"), "utf8");
  expect(new Set(RECEIVERS.map(({ language }) => language)).size).toBe(3);
  expect(note).toContain(`${RECEIVERS.length} small receivers`);
  expect(note).toContain(`| breaks the rule | ${broken} | 0 |`);
  expect(note).toContain(`| does not break it | 0 | ${kept} |`);
});
