import { expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";

const ROOT = join(import.meta.dir, "../..");
const FOLDERS =
  "{src,web,contract,csv,verify,sandbox,judge,receiver-judge,relay,mcp,client,examples,bench,scripts,test,suites,deploy,docs,bin}";

// Migrations stay as they were released, and the changelog as it was written.
const FILES = [
  ...new Bun.Glob("*.md").scanSync(ROOT),
  ...new Bun.Glob(`${FOLDERS}/**/*.{ts,tsx,md,yaml,css}`).scanSync(ROOT),
].filter((file) => !/node_modules|\/dist\/|^CHANGELOG\.md$|^test\/project\/english\.test\.ts$/.test(file));

/** Words that sound translated, each with what a native engineer writes instead. */
const INSTEAD: Readonly<Record<string, string>> = {
  whoever: "the client, the process, any program",
  "those who": "clients that, processes that",
  anew: "again",
  afresh: "again",
  "of late": "recently",
  "one that": "the noun instead of 'one'",
  mend: "fix, repair or recover",
  mends: "fixes, repairs or recovers",
  mended: "fixed, repaired or recovered",
};
const WORDS = new RegExp(String.raw`\b(?:${Object.keys(INSTEAD).join("|")})\b`, "i");

test("no text uses a word that sounds translated", () => {
  const found = FILES.flatMap((file) =>
    readFileSync(join(ROOT, file), "utf8")
      .split("\n")
      .flatMap((line, index) => {
        const [word] = WORDS.exec(line) ?? [];
        const instead = word && INSTEAD[word.toLowerCase()];
        return word ? [`${file}:${index + 1} ${word}: write ${instead}`] : [];
      }),
  );
  expect(found).toEqual([]);
});
