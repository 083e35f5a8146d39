import { expect, test } from "bun:test";
import { tmpdir } from "node:os";
import { Child, OutputTimeout } from "../../verify/child.ts";

function shell(script: string): Child {
  return new Child(["sh", "-c", script], { cwd: tmpdir(), env: { PATH: process.env.PATH } });
}

test("a program's output is found across chunks, and its exit code and streams are returned", async () => {
  await using child = shell("printf lis; sleep 0.05; printf 'tening\\n'; echo trouble >&2; exit 3");
  expect([...(await child.says(/^(lis)tening$/m))]).toEqual(["listening", "lis"]);
  expect(await child.ended()).toEqual({ exitCode: 3, stdout: "listening\n", stderr: "trouble\n" });
  // What was said before is found too.
  await child.says("listening");
});

test("a program that ends without the expected output is not mistaken for a program that takes too long", async () => {
  await using ended = shell("echo other; echo trouble >&2");
  const early = await ended.says("listening").catch((error) => error);
  expect(early).toBeInstanceOf(OutputTimeout);
  expect([early.isLate, early.message]).toEqual([false, expect.stringContaining("other\ntrouble")]);
  await using silent = shell("exec sleep 60");
  expect(await silent.says("listening", 20).catch((error) => error)).toMatchObject({ isLate: true });
});

test("the address is that of the line that says the service listens, whatever other lines have", async () => {
  const line = (msg: string, address: string) => `{"address":"${address}","msg":"${msg}"}`;
  await using child = shell(
    `echo '${line("metrics", "http://a")}'; echo '${line("listening on b", "http://b")}'`,
  );
  expect(await child.listens()).toBe("http://b");
});

test("a child process inherits no variable, and ends with `await using`", async () => {
  let child: Child;
  {
    await using started = shell("env; exec sleep 60");
    child = started;
    await started.says("PATH=");
    expect(started.output).not.toContain("HOME=");
  }
  expect(await child.exited).toBe(137);
});
