import { expect, test } from "bun:test";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { onEveryEngine } from "../support/engines.ts";
import { temporaryFolder } from "../support/folder.ts";
import { run } from "../support/program.ts";

onEveryEngine((engine) => {
  test("migrate makes a store, says what it did, and finds nothing to do the next time", async () => {
    await using database = await engine.createDatabase();
    using folder = temporaryFolder();
    const options = { cwd: folder.path, env: { DATABASE_URL: database.url } };
    const check = await run(["migrate", "--check"], options);
    expect(check).toMatchObject({ exitCode: 1, stdout: "" });
    expect(check.stderr).toMatch(
      /^animal-store: There is no store at .+ yet; this program needs version \d+: run `animal-store migrate`\.\n$/,
    );
    // Looking has made nothing.
    expect(await run(["migrate", "--check"], options)).toEqual(check);
    expect(await run(["migrate"], options)).toEqual({
      exitCode: 0,
      stdout: "",
      stderr: expect.stringMatching(/^Created the store .+\.\n$/),
    });
    const done = {
      exitCode: 0,
      stdout: "",
      stderr: expect.stringMatching(/^The schema of .+ is at version \d+; there is nothing to do/),
    };
    expect(await run(["migrate"], options)).toEqual(done);
    expect(await run(["migrate", "--check"], options)).toEqual(done);
    const { stdout } = await run(["migrate", "--check", "--json"], options);
    const { version, wanted } = JSON.parse(stdout);
    expect(version).toBe(wanted);
  });
});

test("migrate --check of a missing file makes none", async () => {
  using folder = temporaryFolder();
  const checked = await run(["migrate", "--check", "--database", "sqlite:./none.db"], {
    cwd: folder.path,
  });
  expect(checked.exitCode).toBe(1);
  expect(existsSync(join(folder.path, "none.db"))).toBe(false);
});
