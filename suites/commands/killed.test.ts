import { describe, expect, test } from "bun:test";
import { readdirSync, statSync, utimesSync } from "node:fs";
import { PROGRAM } from "../../test/support/program.ts";
import { storePlace } from "../../test/support/store-place.ts";

/** So many animals that an export or backup of them can be killed in the middle. */
const MANY = 150_000;

test.each([[["export", "all.csv", "--force"]], [["backup", "all.csv", "--force"]]] as [string[]][])(
  "kill -9 in the middle of %p leaves the existing file",
  async (args) => {
    using here = storePlace();
    await here.create(MANY);
    await here.write("all.csv", "an earlier one");
    const { PATH = "", HOME = "" } = process.env;
    const child = Bun.spawn([PROGRAM, ...args], {
      cwd: here.cwd,
      env: { ...here.env, PATH, HOME },
      stderr: "ignore",
    });
    const isWriting = () =>
      readdirSync(here.cwd).some(
        (file) => file.startsWith("all.csv") && statSync(here.path(file)).size > 100_000,
      );
    while (child.exitCode === null && !isWriting()) await new Promise(setImmediate);
    child.kill("SIGKILL");
    await child.exited;
    expect(child.signalCode).toBe("SIGKILL");
    expect(here.read("all.csv")).toBe("an earlier one");
    // What is left is taken away by a later run, when it is surely nobody's.
    const leftovers = readdirSync(here.cwd).filter((file) => file.includes(".tmp"));
    expect(leftovers).not.toEqual([]);
    for (const file of leftovers) utimesSync(here.path(file), 0, 0);
    expect((await here.run(...args)).exitCode).toBe(0);
    expect(readdirSync(here.cwd).sort()).toEqual(["all.csv", "store"]);
  },
);

describe("restore", () => {
  test.each([/\.tmp$/, /\.tmp-journal$/, /\.replaced-/])(
    "kill -9 when %p appears leaves either the old or the new store, whole",
    async (sign) => {
      using here = storePlace();
      await here.run("seed", "--count", "3000");
      await here.run("backup", "a.bak");
      const { stdout } = await here.run("seed", "--count", "2000", "--seed", "2", "--json");
      const lastOrder = 1347 + JSON.parse(stdout).orders;
      const { PATH = "", HOME = "" } = process.env;
      const child = Bun.spawn([PROGRAM, "restore", "a.bak", "--force"], {
        cwd: here.cwd,
        env: { ...here.env, PATH, HOME },
        stderr: "ignore",
      });
      while (child.exitCode === null && !readdirSync(here.path("store")).some((file) => sign.test(file))) {
        await new Promise(setImmediate);
      }
      child.kill("SIGKILL");
      await child.exited;
      expect([3000, 5000]).toContain((await here.animals()).length);
      expect((await here.run("seed", "--count", "1")).stderr).toBe(
        `Added 1 animal to ${here.store}, id 5001, with 0 orders.\n`,
      );
      // And it can be done again.
      expect((await here.run("restore", "a.bak", "--force")).stderr).toContain(
        `the next ids are 5002 for animals and ${lastOrder + 1} for orders.`,
      );
      expect(await here.animals()).toHaveLength(3000);
    },
  );
});
