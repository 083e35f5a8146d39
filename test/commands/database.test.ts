import { Database } from "bun:sqlite";
import { describe, expect, test } from "bun:test";
import { mkdirSync, readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { type TemporaryFolder, temporaryFolder } from "../support/folder.ts";
import { run, serve } from "../support/program.ts";

const NOT_OURS = "./store.db is an SQLite database, but not an Animal Store's. Name another file.";

/** Makes a database by a statement. */
function made(sql: string): (file: string) => Promise<void> {
  return async (file) => {
    using database = new Database(file);
    database.run(sql);
  };
}

function modeOf(...path: string[]): string {
  return (statSync(join(...path)).mode & 0o777).toString(8);
}

describe("DATABASE_URL", () => {
  test("by default is a file in ./data, created with its folder, for the owner alone", async () => {
    using folder = temporaryFolder();
    // Whatever the user's umask would allow.
    const before = ["sh", "-c", 'umask 0; exec "$@"', "sh"];
    await using service = await serve({ cwd: folder.path, before });
    await fetch(`${service.address}/v1/pets`, {
      method: "POST",
      headers: { authorization: `Bearer ${service.key}`, "content-type": "application/json" },
      body: '{"name":"Rex","categoryId":1}',
    });
    const data = join(folder.path, "data");
    expect(readdirSync(data).sort()).toEqual(
      ["", "-shm", "-wal"].map((suffix) => `animal-store.db${suffix}`),
    );
    expect(modeOf(data)).toBe("700");
    for (const file of readdirSync(data)) expect(modeOf(data, file)).toBe("600");
  });

  test("may be relative to the current folder or absolute, with spaces and special characters", async () => {
    using folder = temporaryFolder();
    const paths = ["plain.db", "./a b/c d.db", "../sibling/ü%20.db", join(folder.path, "absolute/deep/x.db")];
    mkdirSync(join(folder.path, "cwd"));
    for (const path of paths) {
      const made = await run(["seed", "--count", "1", "--database", `sqlite:${path}`], {
        cwd: join(folder.path, "cwd"),
      });
      expect(made.exitCode).toBe(0);
    }
    const files = ["cwd/plain.db", "cwd/a b/c d.db", "sibling/ü%20.db", "absolute/deep/x.db"];
    for (const file of files) expect(modeOf(folder.path, file)).toBe("600");
  });

  test("is the same store for the service and for the commands", async () => {
    using folder = temporaryFolder();
    const options = { cwd: folder.path, env: { DATABASE_URL: "sqlite:./shared.db" } };
    await using service = await serve(options);
    const { stdout } = await run(["keys", "create", "--name", "x"], options);
    const headers = { authorization: `Bearer ${stdout.trim()}` };
    expect((await fetch(`${service.address}/v1/pets`, { headers })).status).toBe(200);
  });
});

describe("a store that cannot be used stops the start with one clear line, and is left as it was:", () => {
  /** Tries to start, and to add animals, and returns what both say. */
  async function complaint(folder: TemporaryFolder, path: string): Promise<string> {
    const options = { cwd: folder.path, env: { DATABASE_URL: `sqlite:${path}` } };
    const serving = await run(["serve", "--port", "0"], options);
    expect(serving).toEqual({
      exitCode: 1,
      stdout: "",
      stderr: expect.stringMatching(/^animal-store: [^\n]*\n$/),
    });
    expect(await run(["seed", "--count", "1"], options)).toEqual(serving);
    return serving.stderr;
  }

  test("a folder that cannot be created", async () => {
    using folder = temporaryFolder();
    await Bun.write(join(folder.path, "file"), "");
    expect(await complaint(folder, "./file/store.db")).toContain("cannot write ./file/store.db: ");
  });

  test("a folder in place of the file", async () => {
    using folder = temporaryFolder();
    mkdirSync(join(folder.path, "store.db"));
    expect(await complaint(folder, "./store.db")).toContain(
      "./store.db is a folder; name a file as the store.",
    );
  });

  const strangers: [string, (file: string) => Promise<unknown>, string][] = [
    ["a text", (file) => Bun.write(file, "This is a letter to my aunt."), "file is not a database"],
    [
      "noise",
      (file) => Bun.write(file, crypto.getRandomValues(new Uint8Array(8192))),
      "file is not a database",
    ],
    ["another program's database with tables", made("CREATE TABLE letter (text)"), NOT_OURS],
    ["another program's database with a schema version", made("PRAGMA user_version = 7"), NOT_OURS],
    ["another program's database with an application id", made("PRAGMA application_id = 1"), NOT_OURS],
  ];

  test.each(strangers)("%s", async (_, make, reason) => {
    using folder = temporaryFolder();
    await make(join(folder.path, "store.db"));
    expect(await complaint(folder, "./store.db")).toContain(reason);
  });

  // What is not ours is not ours to change: no journal mode, no companion files.
  test.each(strangers)("%s is not touched", async (_, make) => {
    using folder = temporaryFolder();
    const file = join(folder.path, "store.db");
    await make(file);
    const before = readFileSync(file);
    await complaint(folder, "./store.db");
    expect(readFileSync(file).equals(before)).toBe(true);
    expect(readdirSync(folder.path)).toEqual(["store.db"]);
  });

  test("a schema that a newer version of this program made", async () => {
    using folder = temporaryFolder();
    const file = join(folder.path, "store.db");
    await run(["seed", "--count", "1", "--database", "sqlite:./store.db"], { cwd: folder.path });
    {
      using database = new Database(file);
      database.run("PRAGMA user_version = 4711");
    }
    const before = readFileSync(file);
    expect(await complaint(folder, "./store.db")).toMatch(
      /\.\/store\.db has schema version 4711; this program knows versions up to \d+\. Start a version of Animal Store at least as new/,
    );
    expect(readFileSync(file).equals(before)).toBe(true);
  });
});
