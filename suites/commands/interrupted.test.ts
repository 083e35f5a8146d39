import { Database } from "bun:sqlite";
import { describe, expect, test } from "bun:test";
import { readdirSync } from "node:fs";
import { run } from "../../test/support/program.ts";
import { folderWithStore, type StorePlace, storePlace } from "../../test/support/store-place.ts";
import { CTRL_C, startOnTerminal } from "../../test/support/terminal.ts";

/** So many animals that a command can be interrupted before it has done with them. */
const MANY = 150_000;

/** Starts a command, types Ctrl+C when a text is shown, and returns all that was shown. */
async function interrupt(here: StorePlace, args: readonly string[], when: string): Promise<string> {
  await using program = startOnTerminal(args, here);
  await program.shows(when);
  program.type(CTRL_C);
  expect(await program.exited).toBe(130);
  await program.shows("animal-store: interrupted. ");
  return program.shown();
}

function rows(count: number): string {
  return `name,categoryId\n${"Rex,1\n".repeat(count)}`;
}

describe("Ctrl+C leaves nothing half done, and says what was and was not done:", () => {
  test("a seed that is still inventing animals adds nothing", async () => {
    using here = storePlace();
    const shown = await interrupt(here, ["seed", "--count", "2000000"], "invent");
    expect(shown).toEndWith(`interrupted. Nothing was added to ${here.store}.\n`);
    expect(await here.animals()).toEqual([]);
  });

  test("a seed that is committing adds all or nothing, and says which", async () => {
    using here = storePlace();
    const shown = await interrupt(here, ["seed", "--count", `${MANY}`], "publish");
    const stored = (await here.animals()).length;
    expect([0, MANY]).toContain(stored);
    if (shown.includes("Nothing was added")) expect(stored).toBe(0);
    if (shown.includes("All 150,000 animals were added")) expect(stored).toBe(MANY);
  });

  test("an import that is still reading imports nothing", async () => {
    using here = storePlace();
    await here.write("many.csv", rows(500_000));
    const shown = await interrupt(here, ["import", "many.csv"], "░");
    expect(shown).toEndWith(`interrupted. Nothing was imported into ${here.store}.\n`);
    expect(await here.animals()).toEqual([]);
  });

  test("an import in parts says how many rows it has stored, and how to continue", async () => {
    using here = storePlace();
    const count = 20_000;
    await here.write("many.csv", rows(count));
    const args = ["import", "many.csv", "--commit-every", "1000"];
    const shown = await interrupt(here, args, "publish  █");
    const stored = (await here.animals()).length;
    expect(stored).toBeWithin(1, count);
    expect(shown).toContain(
      `${stored.toLocaleString("en")} of 20,000 animals are in ${here.store}; run the same command again to continue after them.`,
    );
    expect((await here.run(...args)).exitCode).toBe(0);
    expect(await here.animals()).toHaveLength(count);
  });

  test("the message says that the copy is unfinished and that the same command continues it", async () => {
    using here = storePlace();
    await here.create(MANY);
    const args = ["copy", "--from", here.env.DATABASE_URL, "--to", "sqlite:./b.db"];
    const shown = await interrupt(here, args, "░");
    expect(shown).toContain(
      "is not finished, and no service opens it; run the same command again to continue.",
    );
    expect((await here.run(...args)).exitCode).toBe(0);
  });

  test("SIGTERM ends a command with 143 and the same message", async () => {
    using here = storePlace();
    await using program = startOnTerminal(["seed", "--count", "2000000"], here);
    await program.shows("invent");
    program.signal("SIGTERM");
    expect(await program.exited).toBe(143);
    await program.shows(`interrupted. Nothing was added to ${here.store}.\n`);
  });
});

describe("while another program writes to the store,", () => {
  /** Holds the write lock, as the import of many animals does. */
  function writeTo(here: StorePlace): Disposable {
    const database = new Database(here.store);
    database.run("BEGIN IMMEDIATE");
    return database;
  }

  const WAITS = "The command waits for another program that is writing to the store.";

  async function withKeyAndAnimal(): Promise<StorePlace> {
    const here = storePlace();
    await here.create(1);
    await here.run("keys", "create", "--name", "shop");
    await here.write("some.csv", "name,categoryId\nRex,1\n");
    return here;
  }

  test.each([
    ["keys create --name web", "Either no key was created in"],
    ["keys revoke 1", "is either revoked or unchanged."],
    ["animals set 1 --status sold", "Nothing was changed in"],
    ["import some.csv --ids new", "Nothing was imported into"],
  ])("Ctrl+C ends %s, which says what was done", async (command, outcome) => {
    using here = await withKeyAndAnimal();
    using _ = writeTo(here);
    const shown = await interrupt(here, command.split(" "), WAITS);
    expect(shown.split("interrupted. ")[1]).toContain(outcome);
    const keys = JSON.parse((await here.run("keys", "list", "--json")).stdout);
    expect(keys).toEqual([expect.objectContaining({ id: 1, revokedAt: null })]);
    expect(await here.animals()).toEqual([expect.stringContaining("available")]);
  });

  test("Ctrl+C ends a copy under way, and the same command continues it", async () => {
    using here = storePlace();
    await here.create(MANY);
    const args = ["copy", "--from", here.env.DATABASE_URL, "--to", "sqlite:./b.db"];
    {
      await using program = startOnTerminal(args, here);
      await program.shows("░");
      using other = new Database(here.path("b.db"));
      other.run("PRAGMA busy_timeout = 60000");
      other.run("BEGIN IMMEDIATE");
      await program.shows(WAITS);
      program.type(CTRL_C);
      expect(await program.exited).toBe(130);
      await program.shows(
        "is not finished, and no service opens it; run the same command again to continue.",
      );
    }
    expect((await here.run(...args)).exitCode).toBe(0);
  });

  test.each(["keys revoke 1", "animals set 1 --status sold", "import some.csv --ids new"])(
    "%s waits for its turn",
    async (command) => {
      using here = await withKeyAndAnimal();
      const other = writeTo(here);
      await using program = startOnTerminal(command.split(" "), here);
      await program.shows(WAITS);
      other[Symbol.dispose]();
      expect(await program.exited).toBe(0);
    },
  );
});

describe("a command ends silently when the reader of its output goes away:", () => {
  test.each(["openapi", "config", "config --json", "keys list", "keys list --json", "--help", "keys --help"])(
    "%s",
    async (command) => {
      using folder = await folderWithStore();
      // `true` reads nothing and is gone long before the program writes.
      const before = ["sh", "-c", '{ "$@" 2>err; echo $? >code; } | true; cat err code', "sh"];
      const { stdout } = await run(command.split(" "), { cwd: folder.path, before });
      expect(stdout).toMatch(/^(?:0|141)\n$/);
    },
  );

  test("a key that has never been used is reported too", async () => {
    using folder = await folderWithStore();
    const before = ["sh", "-c", '"$@" 2>err | true; cat err', "sh"];
    const { stdout } = await run(["keys", "create", "--name", "x"], { cwd: folder.path, before });
    expect(stdout).toContain("Nobody has seen key 1: revoke it with `keys revoke 1`.");
  });
});

describe("no command replaces a file unless it is told to:", () => {
  test.each([
    ["export all.csv", "all.csv"],
    ["backup a.bak", "a.bak"],
    ["import some.csv --skip-bad bad.txt", "bad.txt"],
    ["import some.csv --dry-run --skip-bad bad.txt", "bad.txt"],
  ])("%s", async (command, file) => {
    using here = storePlace();
    await here.create(2);
    await here.write("some.csv", "name,categoryId\nRex,one\n");
    await here.write(file, "something else");
    expect(await here.run(...command.split(" "))).toEqual({
      exitCode: 1,
      stdout: "",
      stderr: `animal-store: ${file} already exists; name another file, or add --force to replace it.\n`,
    });
    expect(here.read(file)).toBe("something else");
    expect((await here.run(...command.split(" "), "--force")).exitCode).toBe(0);
    expect(here.read(file)).not.toBe("something else");
  });

  test("a first key", async () => {
    using here = storePlace();
    await here.write("first-key", "something else");
    const { exitCode, stderr } = await here.run("serve", "--port", "0", "--first-key", "./first-key");
    expect({ exitCode, stderr }).toEqual({
      exitCode: 1,
      stderr:
        "animal-store: FIRST_KEY names ./first-key, which already exists and is never overwritten. " +
        "Remove it, or name another file.\n",
    });
    expect(here.read("first-key")).toBe("something else");
    expect((await here.run("keys", "list", "--json")).stdout).toBe("[]\n");
    expect(readdirSync(here.cwd).sort()).toEqual(["first-key", "store"]);
  });
});
