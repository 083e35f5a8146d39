import { expect, test } from "bun:test";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { Inconclusive } from "../../contract/contract-violation.ts";
import { temporaryFolder } from "../../test/support/folder.ts";
import { patchedProgram } from "../../test/support/patched-program.ts";
import { run, type StartOptions } from "../../test/support/program.ts";
import { CTRL_C, startOnTerminal } from "../../test/support/terminal.ts";
import { reportOf } from "../../test/verify/verify-report.ts";
import { fuzz } from "../../verify/fuzz/fuzzer.ts";

const OVERLOADED = {
  status: 503,
  headers: { "content-type": "application/json", "retry-after": "1", "x-request-id": "1" },
};

/** Verifies a service that answers like this. */
async function verify(fetch: () => Response | Promise<Response>, options: StartOptions) {
  await using server = Bun.serve({ port: 0, fetch });
  const args = ["verify", "--url", `http://127.0.0.1:${server.port}`, "--key", "x"];
  return { json: await run([...args, "--json"], options), text: await run(args, options) };
}

test("a service that answers 503 breaks no promise: inconclusive, with advice and an exit code of its own", async () => {
  using folder = temporaryFolder();
  const answer = () =>
    new Response('{"code":"overloaded","message":"Too many creates.","status":503}', OVERLOADED);
  const { json, text } = await verify(answer, { cwd: folder.path });
  expect(json.exitCode).toBe(3);
  const { passed, checks } = reportOf(json);
  expect(passed).toBe(false);
  const names = ["create", "retry", "list", "get", "order", "orders", "key", "events", "refuse"];
  const verdicts = names.map((name) => [name, "inconclusive"]);
  // The document, with which answers are compared, was not to be had.
  expect(checks.map(({ name, verdict }) => [name, verdict])).toEqual([...verdicts, ["cover", "skipped"]]);
  expect(checks[0]?.details.join(" ")).toMatch(/answered 503.*overloaded.* Check the disk .* try again\./);
  expect(text.exitCode).toBe(3);
  expect(text.stdout).toContain("? create");
  expect(text.stdout).toContain(`Inconclusive: ${names.join(", ")}. Skipped: cover.`);
  expect(text.stderr).toBe(
    `animal-store: ${verdicts.map(([name]) => `${name} was inconclusive`).join(", ")}.\n`,
  );
});

test("a service that answers 503 when its stock is read after the fuzzing breaks no promise either", async () => {
  await using server = Bun.serve({ port: 0, fetch: () => new Response("{}", OVERLOADED) });
  const { port } = server;
  const keys = { full: "x", reading: "y" };
  const options = { address: `http://127.0.0.1:${port}`, pid: process.pid, keys, seed: 1, connections: 1 };
  await expect(fuzz({ ...options, requests: 0 })).rejects.toBeInstanceOf(Inconclusive);
});

// The first requests find out what the key may do.
for (const [answers, check] of [
  [0, "access"],
  [2, "access"],
  [6, "create"],
] as const) {
  test(`a service that gives ${answers} answers in time is no broken promise either`, async () => {
    using folder = temporaryFolder();
    const program = patchedProgram(folder.path, [
      { file: "contract/client.ts", from: "HANG_MS = 30_000", to: "HANG_MS = 200" },
    ]);
    let asked = 0;
    const hangs = () => (++asked <= answers ? new Response("{}") : new Promise<Response>(() => {}));
    await using server = Bun.serve({ port: 0, fetch: hangs });
    const args = ["verify", "--url", `http://127.0.0.1:${server.port}`, "--key", "x", "--json"];
    const done = await run(args, { cwd: folder.path, program });
    expect(done.exitCode).toBe(3);
    const { checks } = reportOf(done);
    expect([checks[0]?.name, checks[0]?.verdict]).toEqual([check, "inconclusive"]);
    expect(checks[0]?.details.join(" ")).toMatch(
      /no response came within 0\.2 s to curl .* too slow or too busy/,
    );
  });
}

test("Ctrl+C ends verify with 130 and a report of the finished checks", async () => {
  using folder = temporaryFolder();
  const args = ["verify", "--only", "sync,kill", "--database", `sqlite:${folder.path}`];
  await using program = startOnTerminal(args, { cwd: folder.path });
  await program.shows("kill       ░");
  program.type(CTRL_C);
  expect(await program.exited).toBe(130);
  await program.shows("interrupted. 1 check was finished; everything that the run made is removed.\n");
});

test("a missing folder is not created", async () => {
  using folder = temporaryFolder();
  const missing = join(folder.path, "no/such");
  const done = await run(["verify", "--database", `sqlite:${missing}/place`], { cwd: folder.path });
  expect({ exitCode: done.exitCode, stderr: done.stderr }).toEqual({
    exitCode: 1,
    stderr: `animal-store: there is no folder ${missing}; name an existing folder, on the disk to test, with --database sqlite:FOLDER.\n`,
  });
  expect(existsSync(missing)).toBe(false);
});

test("a service that delays every create is killed in the end, and the check is inconclusive", async () => {
  using folder = temporaryFolder();
  const program = patchedProgram(folder.path, [
    { file: "src/stores/group-commit.ts", from: "this.#pending >= this.#queueMax", to: "this.#queueMax > 0" },
    { file: "verify/checks/kill.ts", from: "STALL_MS = 30_000", to: "STALL_MS = 300" },
  ]);
  const done = await run(["verify", "--only", "kill", "--json"], { cwd: folder.path, program });
  expect(done.exitCode).toBe(3);
  const { checks } = reportOf(done);
  expect(checks.map(({ name, verdict }) => [name, verdict])).toEqual([["kill", "inconclusive"]]);
  expect(checks[0]?.details.join(" ")).toContain("no create was acknowledged");
});
