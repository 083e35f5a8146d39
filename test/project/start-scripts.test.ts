import { describe, expect, test } from "bun:test";
import { readdirSync, readlinkSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { Caller } from "../support/caller.ts";
import { temporaryFolder } from "../support/folder.ts";
import { PROGRAM, run, serve } from "../support/program.ts";
import { folderWithStore } from "../support/store-place.ts";

const RUNTIME = join(import.meta.dir, "../../bin/runtime");

/** Put before a program: a shell that starts it with some of its standard streams closed. */
const closing = (redirections: string) => ["sh", "-c", `exec "$@" ${redirections}`, "sh"];

describe.each([
  ["standard input", "<&-"],
  ["standard output", ">&-"],
  ["standard error", "2>&-"],
  ["any standard stream", "<&- >&- 2>&-"],
])("without %s (%s)", (_, redirections) => {
  const before = closing(redirections);

  test("the program does its work, and its exit code says how that went", async () => {
    using folder = await folderWithStore();
    const options = { cwd: folder.path, before };
    const link = join(folder.path, "link");
    symlinkSync(PROGRAM, link);
    expect((await run(["--version"], { ...options, program: link })).exitCode).toBe(0);
    expect((await run(["seed", "--count", "3"], options)).exitCode).toBe(0);
    expect((await run(["seed", "--count", "1"], { cwd: folder.path })).stderr).toContain(", id 4");
    expect((await run(["keys", "revoke", "99"], options)).exitCode).toBe(1);
    expect((await run(["keys", "--nonsense"], options)).exitCode).toBe(2);
  });

  test("bin/runtime runs a file", async () => {
    using folder = temporaryFolder();
    await Bun.write(join(folder.path, "seven.ts"), "process.exitCode = 7;");
    const ended = await run([join(folder.path, "seven.ts")], { cwd: folder.path, before, program: RUNTIME });
    expect(ended.exitCode).toBe(7);
  });
});

test.skipIf(process.platform !== "linux")(
  "a service without standard input and error keeps no file of its store in their place",
  async () => {
    using folder = temporaryFolder();
    await using service = await serve({ cwd: folder.path, before: closing("<&- 2>&-") });
    expect((await new Caller(service).create("Rex")).status).toBe(201);
    expect([0, 2].map((descriptor) => readlinkSync(`/proc/${service.pid}/fd/${descriptor}`))).toEqual([
      "/dev/null",
      "/dev/null",
    ]);
  },
);

test("the program writes nothing into the home of its user", async () => {
  using folder = await folderWithStore();
  using home = temporaryFolder();
  await using service = await serve({ cwd: folder.path, env: { HOME: home.path } });
  expect((await new Caller(service).create("Rex")).status).toBe(201);
  expect(readdirSync(home.path)).toEqual([]);
});

const ELSEWHERE: readonly (readonly [string, Record<string, string>])[] = [
  ["an unknown locale and an unknown time zone", { LC_ALL: "xx_YY.latin9", LANG: "xx", TZ: "Nowhere/Zone" }],
  ["a Turkish locale and a time zone without data", { LC_ALL: "tr_TR.UTF-8", TZ: ":/no/such/file" }],
];

test.each(ELSEWHERE)("with %s the program shows what it shows everywhere", async (_, env) => {
  using folder = await folderWithStore();
  const options = { cwd: folder.path };
  const created = await run(["keys", "create", "--name", "İstanbul ığüş", "--expires", "30d"], {
    ...options,
    env,
  });
  expect(created.exitCode).toBe(0);
  await run(["seed", "--count", "1234"], { ...options, env });
  for (const command of [["keys", "list"], ["export", "-", "--format", "csv"], ["config"], ["--help"]]) {
    const [here, everywhere] = [await run(command, { ...options, env }), await run(command, options)];
    expect(here).toEqual(everywhere);
    expect(here.exitCode).toBe(0);
  }
});
