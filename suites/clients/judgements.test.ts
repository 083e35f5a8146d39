import { expect, test } from "bun:test";
import { join } from "node:path";
import type { toFacts } from "../../judge/report/facts.ts";
import { RULES } from "../../judge/rules.ts";
import { temporaryFolder } from "../../test/support/folder.ts";
import { requiredProgram } from "../../test/support/installed-programs.ts";
import { run } from "../../test/support/program.ts";
import { LONG_RUN_MS } from "../../test/support/run-limits.ts";
import { COLLECTION } from "./judged/collection.ts";

// A judge is itself judged: each client of the collection has the verdict that a person gave it.

const PROGRAM = join(import.meta.dir, "judged/habits.mjs");

for (const { habits, breaks, missed = [], blamed = [] } of COLLECTION) {
  const name = habits.length > 0 ? habits.join(", and ") : "does nothing wrong";
  test(
    `a client that ${name} gets the verdict of a person`,
    async () => {
      using folder = temporaryFolder();
      const args = ["sandbox", "judge", "--json", "--", requiredProgram("node"), PROGRAM, ...habits];
      const { stdout } = await run(args, { cwd: folder.path });
      const { rules } = JSON.parse(stdout) as ReturnType<typeof toFacts>;
      const failed = rules.filter(({ verdict }) => verdict === "failed");
      const expected = [...breaks.filter((rule) => !missed.includes(rule)), ...blamed];
      expect(
        failed.map(({ id }) => id).sort(),
        failed.flatMap(({ evidence }) => evidence).join("\n"),
      ).toEqual(expected.sort());
    },
    LONG_RUN_MS,
  );
}

test("the note has the confusion table of the collection", async () => {
  const sum = (numberOf: (client: (typeof COLLECTION)[number]) => number) =>
    COLLECTION.reduce((total, client) => total + numberOf(client), 0);
  const missed = sum((client) => client.missed?.length ?? 0);
  const blamed = sum((client) => client.blamed?.length ?? 0);
  const broken = sum(({ breaks }) => breaks.length);
  const kept = COLLECTION.length * RULES.length - broken;
  const note = await Bun.file(join(import.meta.dir, "../../bench/notes/judges.md")).text();
  expect(COLLECTION.length).toBeGreaterThanOrEqual(40);
  expect(note).toContain(`| breaks the rule | ${broken - missed} | ${missed} |`);
  expect(note).toContain(`| does not break it | ${blamed} | ${kept - blamed} |`);
  expect(note).toContain(`${COLLECTION.length} small clients`);
});
