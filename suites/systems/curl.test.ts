import { expect, test } from "bun:test";
import { temporaryFolder } from "../../test/support/folder.ts";
import { requiredProgram } from "../../test/support/installed-programs.ts";
import { sandbox, serve } from "../../test/support/program.ts";
import { startOnTerminal } from "../../test/support/terminal.ts";

requiredProgram("curl");

/** What a shell writes to standard output, and how it ends. */
async function runLine(line: string) {
  await using shell = Bun.spawn(["sh", "-c", line], { stdout: "pipe", stderr: "ignore" });
  return { output: await new Response(shell.stdout).text(), exitCode: await shell.exited };
}

test.each(["127.0.0.1", "::1"])(
  "the curl line that a first start logs works as it stands, on %s",
  async (host) => {
    using folder = temporaryFolder();
    await using service = await serve({ cwd: folder.path }, ["--first-key", "print", "--host", host]);
    await service.says("curl ");
    await service.says("/v1/pets'");
    const line = service
      .output()
      .split("\n")
      .find((line) => line.includes("curl "));
    const { msg } = JSON.parse(line ?? "") as { msg: string };
    expect(await runLine(/curl .*$/.exec(msg)?.[0] ?? "")).toEqual({ output: "[]", exitCode: 0 });
  },
);

test("the curl line that a first start shows on a terminal works when it is pasted", async () => {
  using folder = temporaryFolder();
  await using program = startOnTerminal(["serve", "--port", "0"], { cwd: folder.path });
  await program.shows("/v1/pets'\n");
  const line = program
    .shown()
    .split("\n")
    .find((line) => line.trim().startsWith("curl "));
  expect(await runLine(line ?? "")).toEqual({ output: "[]", exitCode: 0 });
});

test("the curl line that a sandbox logs works unchanged", async () => {
  using folder = temporaryFolder();
  await using service = await sandbox({ cwd: folder.path });
  const { output, exitCode } = await runLine(/try it: (curl [^"]+)"/.exec(service.output())?.[1] ?? "");
  expect(exitCode).toBe(0);
  expect(JSON.parse(output)[0]).toMatchObject({ id: 1, name: "Luna" });
});
