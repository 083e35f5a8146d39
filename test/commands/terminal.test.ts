import { describe, expect, test } from "bun:test";
import { API_KEY_PATTERN } from "../../src/domain/api-key.ts";
import { temporaryFolder } from "../support/folder.ts";
import { PROGRAM, run } from "../support/program.ts";
import { createStore, folderWithStore } from "../support/store-place.ts";
import { CTRL_C, startOnTerminal } from "../support/terminal.ts";

const SERVE = ["serve", "--port", "0"];

describe("on a terminal", () => {
  test("a first start greets with the address, the docs, the key and a curl line, in plain text", async () => {
    using folder = temporaryFolder();
    await using program = startOnTerminal(SERVE, { cwd: folder.path });
    await program.shows("/v1/pets'");
    const shown = program.shown();
    expect(shown).not.toContain("\x1b");
    const address = /^ {2}Address {2}(http:\/\/127\.0\.0\.1:\d+)$/m.exec(shown)?.[1] ?? "";
    expect(shown).toContain(`\n  Docs     ${address}/docs\n`);
    const key = /^ {2}API key {2}(.*)$/m.exec(shown)?.[1] ?? "";
    expect(key).toMatch(API_KEY_PATTERN);
    expect(shown).toContain(`\n  curl -H 'Authorization: Bearer ${key}' '${address}/v1/pets'\n`);
    expect((await fetch(`${address}/docs`)).status).toBe(200);
    const headers = { authorization: `Bearer ${key}` };
    expect((await fetch(`${address}/v1/pets`, { headers })).status).toBe(200);
  });

  test("a second start shows no key; Ctrl+C stops it, and it says so", async () => {
    using folder = temporaryFolder();
    await createStore(`sqlite:${folder.path}/data/animal-store.db`);
    await run(["keys", "create", "--name", "x"], { cwd: folder.path });
    await using program = startOnTerminal(SERVE, { cwd: folder.path });
    await program.shows("Docs     http://");
    program.type(CTRL_C);
    expect(await program.exited).toBe(0);
    await program.shows("Stopped.");
    expect(program.shown()).not.toContain("as_live_");
  });

  test("an export that goes to a pipe shows no progress among its lines", async () => {
    using folder = await folderWithStore();
    await run(["seed", "--animals", "20000"], { cwd: folder.path });
    for (const [line, hasBar] of [
      [`'${PROGRAM}' export - --format csv | head -n 2`, false],
      [`'${PROGRAM}' export - --format csv > animals.csv`, true],
    ] as const) {
      await using shell = startOnTerminal(["-c", line], { cwd: folder.path }, "sh");
      await shell.exited;
      expect([line, /export +[█░]/.test(shell.shown())]).toEqual([line, hasBar]);
    }
  });

  test("the log is text with a line for each request, and no JSON", async () => {
    using folder = temporaryFolder();
    await using program = startOnTerminal(SERVE, { cwd: folder.path });
    await program.shows("/v1/pets'\n");
    const address = /http:\S+:\d+/.exec(program.shown())?.[0];
    const authorization = /Bearer \w+/.exec(program.shown())?.[0] ?? "";
    await fetch(`${address}/v1/pets?limit=5`, { headers: { authorization } });
    await fetch(`${address}/v1/pets`);
    await program.shows("unauthorized");
    const plain = Bun.stripANSI(program.shown());
    expect(plain).toMatch(/ GET \/v1\/pets 200 \d+\.\d ms\n/);
    expect(plain).toMatch(/ GET \/v1\/pets 401 \d+\.\d ms unauthorized\n/);
    expect(plain).not.toContain("requestId");
    expect(plain).not.toContain('{"level"');
  });

  test.each([
    ["NO_COLOR", "1"],
    ["TERM", "dumb"],
  ])("%s=%s switches colours off", async (name, value) => {
    using folder = temporaryFolder();
    const env = { [name]: value };
    await using program = startOnTerminal([...SERVE, "--log-level", "debug"], { cwd: folder.path, env });
    await program.shows("/docs\n");
    await fetch(`${/http:\S+:\d+/.exec(program.shown())?.[0]}/livez`);
    await program.shows("/livez");
    expect(program.shown()).not.toContain("\x1b");
  });

  test("explanations of a command are not coloured as errors", async () => {
    using folder = await folderWithStore();
    await using program = startOnTerminal(["keys", "create", "--name", "x"], { cwd: folder.path });
    expect(await program.exited).toBe(0);
    await program.shows("It is shown only this once.");
    expect(program.shown()).not.toContain("\x1b");
  });

  test("LOG_FORMAT=json and LOG_REQUESTS=false change the log", async () => {
    using folder = temporaryFolder();
    const env = { LOG_FORMAT: "json", LOG_LEVEL: "debug", LOG_REQUESTS: "false" };
    await using program = startOnTerminal(SERVE, { cwd: folder.path, env });
    await program.shows('"msg":"listening on');
    await fetch(`${/http:\S+?:\d+/.exec(program.shown())?.[0]}/livez`);
    await program.shows('"level":"debug"');
  });

  test("closing the terminal ends the service", async () => {
    using folder = temporaryFolder();
    await using program = startOnTerminal(SERVE, { cwd: folder.path });
    await program.shows("/docs\n");
    program.hangUp();
    expect(await program.exited).not.toBe(0);
  });
});

/** ESC, a C1 control, DEL, a mark that reverses the text after it, and an invisible character. */
const HOSTILE = "\x1b[2J\x9b2J\x7f\u202e\u200b";
const QUOTED = "\\u001b[2J\\u009b2J\\u007f\\u202e\\u200b";

function expectHarmless(shown: string): void {
  expect(shown.replaceAll(/\r?\n/g, "")).not.toMatch(/[\p{Cc}\p{Cf}]/u);
}

describe("control characters of files and clients never reach a terminal:", () => {
  test("the columns of an imported file", async () => {
    using folder = await folderWithStore();
    await Bun.write(`${folder.path}/odd.csv`, `name,categoryId,${HOSTILE}\nRex,1,2\n`);
    const args = ["import", "odd.csv", "--quiet"];
    await using program = startOnTerminal(args, { cwd: folder.path });
    expect(await program.exited).toBe(1);
    await program.shows(QUOTED);
    expectHarmless(program.shown());
  });

  test("a file's name, and a word that is no command", async () => {
    using folder = await folderWithStore();
    for (const [args, exitCode] of [
      [["import", `${HOSTILE}.csv`], 1],
      [["restore", `${HOSTILE}.db`], 1],
      [[HOSTILE], 2],
      [["keys", "list", `--${HOSTILE}`], 2],
    ] as const) {
      await using program = startOnTerminal(args, { cwd: folder.path });
      expect(await program.exited).toBe(exitCode);
      await program.shows(QUOTED);
      expectHarmless(program.shown());
    }
  });

  test("names, in text and in JSON, also in an export", async () => {
    using folder = await folderWithStore();
    const name = `Rex${HOSTILE}`;
    await Bun.write(`${folder.path}/odd.ndjson`, `${JSON.stringify({ name, categoryId: 1 })}\n`);
    await run(["import", "odd.ndjson"], { cwd: folder.path });
    await run(["animals", "set", "1", "--name", `${name}!`], { cwd: folder.path });
    for (const args of [
      ["animals", "log"],
      ["animals", "log", "--json"],
      ["export", "--format", "csv"],
      ["export", "--format", "ndjson"],
    ]) {
      await using program = startOnTerminal([...args, "--quiet"], { cwd: folder.path });
      expect(await program.exited).toBe(0);
      await program.shows("\\u202e");
      expectHarmless(program.shown());
    }
    // A file or a program gets every byte.
    const { stdout } = await run(["export", "--format", "csv"], { cwd: folder.path });
    expect(stdout).toContain(`${name}!`);
    const log = await run(["animals", "log", "--json"], { cwd: folder.path });
    expect(JSON.parse(log.stdout)[0].after.name).toBe(`${name}!`);
  });
});
