import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { sendCurlLine } from "../../test/support/curl-line.ts";
import { requirePrograms } from "../../test/support/installed-programs.ts";
import { commandLineOf, signalAll, treeOf } from "../../test/support/processes.ts";
import { LONG_RUN_MS } from "../../test/support/run-limits.ts";
import { shareOf } from "../share.ts";
import { Machine, runHere, SUPERUSER, USER, type User } from "./machine.ts";
import { BUSYBOX_PATH, makeMuslMachine } from "./musl.ts";

/** Where the quick tests run too, apart from `npm test` as root. */
const QUICK_ON = shareOf(["as another user", "musl and BusyBox"], "places of the quick tests");

requirePrograms({ git: "git", mmdebstrap: "mmdebstrap", python3: "python3-venv" });

const README = readFileSync(join(import.meta.dir, "../../README.md"), "utf8");
const [START = ""] = /^npm ci && npm start$/m.exec(README) ?? [];
const [, TEST = ""] = /`(npm ci && npm test)`/.exec(README) ?? [];

/** A clone on a machine. */
interface Place {
  readonly machine: Machine;
  readonly user: User;
  readonly folder: string;
  readonly env?: Record<string, string>;
}

/** Runs a line to its end, and prints how long it took, how many tests passed and the slowest files; expects that it succeeds and leaves nothing behind. */
async function passes({ machine, user, folder, env }: Place, line: string): Promise<void> {
  const begun = performance.now();
  await using running = machine.start(user, folder, line, env);
  const { exitCode, stdout } = await running.child.ended();
  const seconds = Math.round((performance.now() - begun) / 1000);
  const lines = stdout.split("\n");
  if (exitCode !== 0) console.log(failuresIn(stdout));
  const told = lines.filter((text) => /^ *\d+ (?:pass|skip|fail)$|^Ran |^ *[\d.]+ s {2}/.test(text));
  console.log(`${line}: ${seconds} s\n${told.join("\n")}`);
  expect({ exitCode, leftovers: running.leftovers() }).toEqual({ exitCode: 0, leftovers: [] });
  expect(stdout).toMatch(/^Ran \d+ tests across \d+ files/m);
}

/** Each failed test and each error outside of tests, with the lines before it; everything, where there is none. */
function failuresIn(output: string): string {
  const blocks = output.split(/^(?=\(pass\))/m).filter((block) => /^\(fail\)|^error:|Unhandled/m.test(block));
  return blocks.length > 0 ? blocks.join("\n") : output.slice(-20_000);
}

/** Expects that README's first line starts the service, that its printed line works, and that nothing outlives npm. */
async function starts({ machine, user, folder, env }: Place): Promise<void> {
  const begun = performance.now();
  // Any free port will do here.
  await using running = machine.start(user, folder, START, { PORT: "0", ...env });
  const [line = ""] = await running.child.says(/curl -H 'Authorization: Bearer [^']+' '[^']+'/);
  const response = await sendCurlLine(line);
  expect([response.status, await response.text()]).toEqual([200, "[]"]);
  const seconds = Math.round((performance.now() - begun) / 1000);
  signalAll([npmOf(running.child.pid)], "SIGTERM");
  await running.child.exited;
  expect(running.leftovers()).toEqual([]);
  // While it runs, the runtime renames files of its cache.
  const { stdout: size } = await runHere("du", "-sm", join(machine.root, folder));
  console.log(`${START}: ${seconds} s to the first response, ${Number.parseInt(size, 10)} MB`);
}

/** As a supervisor does it: npm alone gets the signal. */
function npmOf(pid: number): number {
  return treeOf(pid).find((each) => /^npm (?:start|test)/.test(commandLineOf(each))) as number;
}

describe("Debian with Node, npm and nothing else", () => {
  let place: Place;
  beforeAll(async () => {
    place = { machine: await Machine.make("bookworm"), user: SUPERUSER, folder: "/root/animal-store" };
    await place.machine.clone(place.user, place.folder);
  });
  afterAll(() => place?.machine[Symbol.dispose]());

  test("README's first line starts the service, whose printed request works", () => starts(place));

  test(
    "README's second line passes its tests and leaves nothing behind",
    () => passes(place, TEST),
    LONG_RUN_MS,
  );

  test("a run of tests that is ended leaves nothing behind", async () => {
    await using running = place.machine.start(place.user, place.folder, "npm test");
    await running.child.says(/^\(pass\).* on PostgreSQL/m);
    signalAll([npmOf(running.child.pid)], "SIGTERM");
    expect(await running.child.exited).not.toBe(0);
    expect(running.leftovers()).toEqual([]);
  });

  test("a test that hangs fails within two minutes, and leaves nothing behind", async () => {
    const hangs = `import { test } from "bun:test";
      import { startOwnPostgres } from "../support/postgres.ts";
      test("it hangs", async () => {
        await using postgres = await startOwnPostgres();
        postgres.freeze();
        await new Promise(() => {});
      });`;
    writeFileSync(join(place.machine.root, place.folder, "test/project/hangs.test.ts"), hangs);
    await using running = place.machine.start(
      place.user,
      place.folder,
      "timeout 120 npm test -- test/project/hangs.test.ts",
    );
    const { exitCode, stdout } = await running.child.ended();
    expect({ exitCode, leftovers: running.leftovers() }).toEqual({ exitCode: 1, leftovers: [] });
    expect(stdout).toMatch(/^\(fail\) it hangs/m);
  });

  describe("as another user, in a folder whose path has spaces", () => {
    let theirs: Place;
    beforeAll(async () => {
      theirs = { ...place, user: USER, folder: `${USER.home}/my code/animal store` };
      await theirs.machine.clone(theirs.user, theirs.folder);
    });

    test("README's first line starts the service, whose printed request works", () => starts(theirs));
    if (QUICK_ON.includes("as another user"))
      test(
        "the quick tests pass and leave nothing behind",
        () => passes(theirs, "npm test -- quick"),
        LONG_RUN_MS,
      );
  });
});

describe("musl and BusyBox, as on Alpine", () => {
  let place: Place;
  beforeAll(async () => {
    const machine = await makeMuslMachine();
    place = { machine, user: SUPERUSER, folder: "/root/animal-store", env: { PATH: BUSYBOX_PATH } };
    await machine.clone(place.user, place.folder);
  });
  afterAll(() => place?.machine[Symbol.dispose]());

  test("README's first line starts the service, whose printed request works", () => starts(place));
  if (QUICK_ON.includes("musl and BusyBox"))
    test(
      "the quick tests pass and leave nothing behind",
      () => passes(place, "npm test -- quick"),
      LONG_RUN_MS,
    );
});
