import { expect, test } from "bun:test";
import { PassThrough } from "node:stream";
import { startProgress } from "../../src/cli/progress.ts";

/** What stands in for a terminal, and what was drawn on it. */
function terminal(isTTY: boolean, columns = 100) {
  const stream = Object.assign(new PassThrough(), { isTTY, columns });
  let drawn = "";
  stream.on("data", (bytes: Buffer) => {
    drawn += bytes.toString();
  });
  return { stream, drawn: () => drawn };
}

/** The line that a terminal shows in the end. */
function lastLine(drawn: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: what a terminal is told begins with one
  const plain = drawn.replace(/\x1b(?:\[[0-9?;]*[A-Za-z]|[78])/g, "\r");
  return plain.split("\n")[0]?.split("\r").filter(Boolean).at(-1) ?? "";
}

test("progress is a bar with rate and time left, and one line at the end", async () => {
  const { stream, drawn } = terminal(true);
  let now = 0;
  {
    using progress = startProgress("import", "animals", 2000, stream, () => now);
    now = 5000;
    progress.update(500, 1_000_000);
  }
  await new Promise(setImmediate);
  expect(lastLine(drawn())).toBe(
    `import  ${"█".repeat(6)}${"░".repeat(18)}   25 %  1,000,000 animals  200,000/s  15 s left`,
  );
  expect(drawn().match(/\n/g)).toHaveLength(1);
});

test("at the end it says how long the command took", async () => {
  const { stream, drawn } = terminal(true);
  let now = 0;
  {
    using progress = startProgress("export", "animals", 300, stream, () => now);
    now = 1500;
    progress.update(300);
  }
  await new Promise(setImmediate);
  expect(lastLine(drawn())).toBe(`export  ${"█".repeat(24)}  100 %  300 animals  200/s  1.5 s`);
});

test("progress without a known total is a count and a rate", async () => {
  const { stream, drawn } = terminal(true);
  let now = 0;
  {
    using progress = startProgress("import", "animals", undefined, stream, () => now);
    now = 2000;
    progress.update(10);
  }
  await new Promise(setImmediate);
  expect(lastLine(drawn())).toBe("import  10 animals  5/s  2.0 s");
});

test("progress wraps on no terminal, however narrow", async () => {
  const { stream, drawn } = terminal(true, 20);
  {
    using _ = startProgress("import", "animals", 10, stream, () => 0);
  }
  await new Promise(setImmediate);
  expect(lastLine(drawn())).toHaveLength(19);
});

test("a thousand quick updates of the progress are drawn only a few times", async () => {
  const { stream, drawn } = terminal(true);
  {
    using progress = startProgress("import", "animals", 1000, stream, () => 0);
    for (let done = 1; done <= 1000; done++) progress.update(done);
  }
  await new Promise(setImmediate);
  expect(drawn().split("import").length).toBeLessThan(10);
});

test("progress is not shown without a terminal", async () => {
  const { stream, drawn } = terminal(false);
  {
    using progress = startProgress("import", "animals", 10, stream);
    progress.update(10);
  }
  await new Promise(setImmediate);
  expect(drawn()).toBe("");
});
