import { expect, test } from "bun:test";
import { describeSchema, loadStored } from "../releases/stored.ts";
import { onEveryEngine } from "../support/engines.ts";
import { temporaryFolder } from "../support/folder.ts";
import { run } from "../support/program.ts";

onEveryEngine((engine) => {
  test("upgrade --check of a store of 0.2.0 says what changes and how to go back, and changes nothing", async () => {
    await using database = await engine.createDatabase();
    await loadStored(database, "0.2.0");
    const before = await describeSchema(database);
    using folder = temporaryFolder();
    const options = { cwd: folder.path, env: { DATABASE_URL: database.url } };
    const { exitCode, stdout, stderr } = await run(["upgrade", "--check"], options);
    expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: "" });
    expect(stdout).toMatch(/ can be upgraded: its schema has version 10, and Animal Store \S+ uses 1\d\.\n/);
    expect(stdout).toContain("\n  11  Orders (adds store_order, idempotency_key.order_id)\n");
    expect(stdout).not.toContain("  10  ");
    expect(stdout).toMatch(/^Before, with the version that serves now: {2}(?:animal-store backup|pg_dump) /m);
    expect(stdout).toMatch(/^ {2}2\. (?:animal-store restore|restore) before-\S+ /m);

    const json = JSON.parse((await run(["upgrade", "--check", "--json"], options)).stdout);
    expect(json).toMatchObject({ version: 10, needed: true, changes: { length: json.wanted - 10 } });
    for (const { version, about, tables, columns } of json.changes) {
      expect(about).toMatch(/^[A-Z]/);
      // A migration may add no table and no column, but change what is there.
      const added = [...tables, ...columns];
      const line = `\n  ${version}  ${about}${added.length > 0 ? ` (adds ${added.join(", ")})` : ""}\n`;
      expect(stdout).toContain(line);
    }
    expect(await describeSchema(database)).toEqual(before);
    expect(await database.query("SELECT id FROM animal")).toHaveLength(3);
  });

  test("upgrade --check of a store that this version uses already says that nothing changes", async () => {
    await using database = await engine.createDatabase();
    using folder = temporaryFolder();
    const options = { cwd: folder.path, env: { DATABASE_URL: database.url } };
    expect(await run(["migrate"], options)).toMatchObject({ exitCode: 0 });
    const { exitCode, stdout } = await run(["upgrade", "--check"], options);
    expect({ exitCode, stdout }).toEqual({ exitCode: 0, stdout: expect.stringContaining("Nothing changes") });
    const json = JSON.parse((await run(["upgrade", "--check", "--json"], options)).stdout);
    expect(json).toMatchObject({ needed: false, changes: [] });
  });
});

test("upgrade without --check upgrades nothing, and names the option", async () => {
  using folder = temporaryFolder();
  const { exitCode, stderr } = await run(["upgrade"], { cwd: folder.path });
  expect({ exitCode, stderr }).toEqual({ exitCode: 2, stderr: expect.stringContaining("'--check'") });
});
