import { expect, test } from "bun:test";
import { manualPage } from "../../scripts/debian/manual-page.ts";
import { createProgram } from "../../src/program.ts";

const page = manualPage(createProgram([]), "1790000000");

test("the manual page has every command, also below another, with its options", () => {
  const sections = [...page.matchAll(/^\.SH "?(.*?)"?$/gm)].map(([, title]) => title);
  expect(sections).toContain("ANIMAL-STORE SERVE");
  expect(sections).toContain("ANIMAL-STORE KEYS CREATE");
  // The program starts its workers itself.
  expect(sections).not.toContain("ANIMAL-STORE WORKER");
  expect(sections.slice(-1)).toEqual(["FILES"]);
  const [, serve = ""] = page.split('.SH "ANIMAL-STORE SERVE"');
  expect(serve.slice(0, serve.indexOf(".SH"))).toContain("\\-\\-port");
});

test("no line of a help text is an instruction to man", () => {
  const instructions = page.split("\n").filter((line) => /^[.']/.test(line));
  expect(instructions.filter((line) => !/^\.(?:TH|SH|nf|fi|TP|I)(?: |$)/.test(line))).toEqual([]);
});

test("each command of the manual page has its examples, below text that fits into a terminal of 80 columns", () => {
  const sections = page.replaceAll("\\-", "-").split(".SH ").slice(2, -1);
  expect(sections.length).toBeGreaterThan(20);
  for (const section of sections) {
    const [text = "", examples] = section.split("\nExamples:\n");
    expect(examples).toStartWith("  $ ");
    // `man` indents by 7. An address of 38 characters cannot be broken.
    const tooLong = text.split("\n").filter((line) => line.length > 80 - 7 && !line.includes("postgres://"));
    expect(tooLong).toEqual([]);
  }
});
