import { Database } from "bun:sqlite";
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { temporaryFolder } from "../support/folder.ts";
import { type Postgres, startPostgres } from "../support/postgres.ts";
import { run } from "../support/program.ts";

/** The commands that need a store and make none. */
const COMMANDS = [
  "keys create --name x",
  "keys list",
  "keys revoke 1",
  "keys rotate 1",
  "export - --format csv",
  "export animals.csv",
  "backup a.bak",
  "upgrade --check",
  "copy --from sqlite:./data/animal-store.db --to sqlite:./b.db",
];

function complaintAbout(place: string): string {
  return (
    `animal-store: there is no store at ${place}. Name an existing store with --database or DATABASE_URL, ` +
    "or make a new store: `animal-store serve` does, and so does `animal-store migrate`.\n"
  );
}

describe.each(COMMANDS)("%s makes no store, and says where it looked:", (command) => {
  test("a path where nothing exists", async () => {
    using folder = temporaryFolder();
    const { exitCode, stdout, stderr } = await run(command.split(" "), { cwd: folder.path });
    expect({ exitCode, stdout }).toEqual({ exitCode: 1, stdout: "" });
    expect(stderr).toBe(complaintAbout(join(folder.path, "data/animal-store.db")));
    expect(readdirSync(folder.path)).toEqual([]);
  });

  test.each([
    ["an empty file", async (file: string) => void (await Bun.write(file, ""))],
    [
      "an SQLite database in which nothing is",
      async (file: string) => {
        using database = new Database(file, { create: true });
        database.run("VACUUM");
      },
    ],
  ])("%s", async (_, make) => {
    using folder = temporaryFolder();
    const file = join(folder.path, "data/animal-store.db");
    await Bun.write(file, "");
    await make(file);
    const before = await Bun.file(file).bytes();
    const { exitCode, stderr } = await run(command.split(" "), { cwd: folder.path });
    expect({ exitCode, stderr }).toEqual({ exitCode: 1, stderr: complaintAbout(file) });
    expect(readdirSync(folder.path)).toEqual(["data"]);
    expect(readdirSync(join(folder.path, "data"))).toEqual(["animal-store.db"]);
    expect(await Bun.file(file).bytes()).toEqual(before);
  });
});

describe("on PostgreSQL", () => {
  let postgres: Postgres;
  beforeAll(async () => {
    postgres = await startPostgres();
  });
  afterAll(() => postgres[Symbol.asyncDispose]());

  test.each(COMMANDS.filter((command) => !/^(?:backup|copy)/.test(command)))(
    "%s makes no store in a database without one, and says where it looked, without the password",
    async (command) => {
      using folder = temporaryFolder();
      const url = new URL(await postgres.createDatabase());
      url.password = "hush";
      const options = { cwd: folder.path, env: { DATABASE_URL: url.href } };
      for (const _ of ["the first time", "and again"]) {
        const { exitCode, stdout, stderr } = await run(command.split(" "), options);
        expect({ exitCode, stdout }).toEqual({ exitCode: 1, stdout: "" });
        expect(stderr).toBe(complaintAbout(url.href.replace("hush", "***")));
      }
      expect(readdirSync(folder.path)).toEqual([]);
    },
  );
});
