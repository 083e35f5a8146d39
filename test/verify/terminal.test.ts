import { expect, test } from "bun:test";
import { temporaryFolder } from "../support/folder.ts";
import { startOnTerminal } from "../support/terminal.ts";

test("verify shows its progress on a terminal, and removes it at the end", async () => {
  using folder = temporaryFolder();
  const args = ["verify", "--only", "sync", "--minutes", "0.02", "--database", `sqlite:${folder.path}`];
  await using program = startOnTerminal(args, { cwd: folder.path });
  await program.shows("sync       ░");
  await program.exited;
  // What was drawn ends with a step back over it, and the line away.
  const after = program.shown().split("\x1b[1A\x1b[2K").at(-1) ?? "";
  expect(after).not.toMatch(/[█░]/);
  expect(after).toMatch(/sync {6}/);
});
