import { afterAll, describe, expect, test } from "bun:test";
import { SQL } from "bun";
import { documentedSql } from "../../test/commands/documented.ts";
import { Caller } from "../../test/support/caller.ts";
import { temporaryFolder } from "../../test/support/folder.ts";
import { UNHURRIED } from "../../test/support/postgres/unhurried.ts";
import { startOwnPostgres } from "../../test/support/postgres.ts";
import { run, serve } from "../../test/support/program.ts";

describe("roles of PostgreSQL:", () => {
  let server: Awaited<ReturnType<typeof startOwnPostgres>>;
  const starting = startOwnPostgres(["fsync=off"]).then((started) => {
    server = started;
  });
  afterAll(() => server[Symbol.asyncDispose]());

  const urlFor = (user: string, database: string) =>
    `postgres://${user}@127.0.0.1:${server.port}/${database}`;

  async function execute(url: string, statements: string): Promise<void> {
    await using sql = new SQL({ url, max: 1 });
    // One by one: CREATE DATABASE may not share its text with others.
    for (const statement of statements.split(/;\s*\n/))
      if (statement.trim() !== "") await sql.unsafe(statement);
  }

  async function runAs(url: string, ...args: string[]) {
    using folder = temporaryFolder();
    return await run(args, { cwd: folder.path, env: { DATABASE_URL: url } });
  }

  /** The one line with which the program refuses to serve. */
  async function complaint(url: string): Promise<string> {
    const { exitCode, stdout, stderr } = await runAs(url, "serve", "--port", "0");
    expect([exitCode, stdout]).toEqual([1, ""]);
    expect(stderr).toMatch(/^animal-store: [^\n]*\n$/);
    return stderr;
  }

  test("with the documented grants the owner can migrate, and the service can serve but not migrate", async () => {
    await starting;
    const [roles = "", grants = ""] = documentedSql("postgresql.md", "**Two roles**");
    await execute(server.url, roles.replaceAll("…", "secret"));
    const owner = urlFor("animals_owner", "animals");
    const service = urlFor("animals_service", "animals");
    await execute(owner, grants);
    expect(await complaint(service)).toMatch(
      /the schema animal_store is at version 0, this program needs \d+, and the user animals_service may not change it: run `animal-store migrate` as its owner, animals_owner\.$/m,
    );
    expect(await runAs(service, "migrate")).toMatchObject({ exitCode: 1 });
    expect(await runAs(owner, "migrate")).toMatchObject({ exitCode: 0 });

    using folder = temporaryFolder();
    await using serving = await serve({ cwd: folder.path, env: { DATABASE_URL: service + UNHURRIED } });
    const caller = new Caller({ address: serving.address, key: serving.key });
    expect((await caller.create("with a key")).status).toBe(201);
    expect((await caller.create("without", null)).status).toBe(201);
    expect(await caller.names()).toEqual(["with a key", "without"]);
    expect((await fetch(`${serving.address}/readyz`)).status).toBe(200);
    const key = (await runAs(service, "keys", "create", "--name", "second")).stdout;
    expect(key).toStartWith("as_live_");
    for (const args of [["rotate", "2"], ["revoke", "2"], ["list"]]) {
      expect(await runAs(service, "keys", ...args)).toMatchObject({ exitCode: 0 });
    }
    expect((await runAs(service, "export", "animals.csv")).exitCode).toBe(0);
    expect(await runAs(service, "animals", "set", "1", "--status", "sold")).toMatchObject({ exitCode: 0 });

    // What was granted is all that it may do.
    await using sql = new SQL({ url: service, max: 1 });
    for (const statement of [
      "ALTER TABLE animal_store.animal ADD COLUMN note text",
      "DROP TABLE animal_store.animal",
      "TRUNCATE animal_store.animal",
      "CREATE TABLE animal_store.other ()",
      "CREATE SCHEMA other",
      "CREATE TEMP TABLE other ()",
    ]) {
      await expect(sql.unsafe(statement).then(String, ({ errno }) => errno)).resolves.toBe("42501");
    }
    // Staging needs a temporary table.
    const seeding = await runAs(service, "seed", "--count", "1");
    expect(seeding.exitCode).toBe(1);
    expect(seeding.stderr).toMatch(
      /may not create temporary tables in the database animals, .* GRANT TEMPORARY ON DATABASE animals TO /,
    );
    expect(await runAs(owner, "seed", "--count", "1")).toMatchObject({ exitCode: 0 });

    // A reader exports, and cannot serve.
    await execute(server.url, "CREATE ROLE reader LOGIN");
    await execute(
      owner,
      `GRANT USAGE ON SCHEMA animal_store TO reader;
       GRANT SELECT ON ALL TABLES IN SCHEMA animal_store TO reader;
       GRANT SELECT ON ALL SEQUENCES IN SCHEMA animal_store TO reader`,
    );
    const reader = urlFor("reader", "animals");
    expect((await runAs(reader, "export", "--format", "csv")).stdout.split("\n").length).toBeGreaterThan(3);
    expect((await runAs(reader, "animals", "log")).stdout).toContain("status available → sold");
    const refusal =
      /the user reader lacks rights in the schema animal_store \(DELETE, INSERT, UPDATE on the tables animal, api_key, append_log and \d+ more; UPDATE, USAGE on the sequences animal_id_seq, .*\): as its owner, \w+, say GRANT SELECT, INSERT, .* TO reader;$/m;
    expect(await complaint(reader)).toMatch(refusal);
    await using reading = new SQL({ url: reader, max: 1 });
    for (const work of ["lock_animal_ids", "repair_sequences"]) {
      await expect(
        reading.unsafe(`SELECT animal_store.${work}()`).then(String, ({ errno }) => errno),
      ).resolves.toBe("42501");
    }
    // A trigger of its own would do the same for it.
    const triggers = await reading`
      SELECT proname, has_function_privilege(oid, 'EXECUTE') AS may FROM pg_proc
       WHERE pronamespace = 'animal_store'::regnamespace AND prorettype = 'trigger'::regtype`;
    expect(triggers).toHaveLength(10);
    expect(triggers.filter(({ may }: { may: boolean }) => may)).toEqual([]);
    const correcting = await runAs(reader, "animals", "remove", "1");
    expect([correcting.exitCode, correcting.stderr]).toEqual([1, expect.stringMatching(refusal)]);
  });

  test("a schema that a DBA made for a role that may create nothing else", async () => {
    await starting;
    await execute(server.url, "CREATE ROLE tenant LOGIN;\nCREATE DATABASE shared");
    await execute(urlFor("postgres", "shared"), "CREATE SCHEMA animal_store AUTHORIZATION tenant");
    using folder = temporaryFolder();
    const url = urlFor("tenant", "shared");
    await using serving = await serve({ cwd: folder.path, env: { DATABASE_URL: url + UNHURRIED } });
    const caller = new Caller({ address: serving.address, key: serving.key });
    expect((await caller.create("here")).status).toBe(201);
  });

  test("a role that may not use the schema, or from which row security hides rows, is told the statement to run", async () => {
    await starting;
    await execute(server.url, "CREATE ROLE stranger LOGIN;\nCREATE DATABASE strange");
    const owner = urlFor("postgres", "strange");
    const stranger = urlFor("stranger", "strange");
    expect(await runAs(owner, "migrate")).toMatchObject({ exitCode: 0 });
    expect(await complaint(stranger)).toContain(
      "the user stranger may not use the schema animal_store in the database strange, which belongs to postgres: " +
        "as postgres, say GRANT USAGE ON SCHEMA animal_store TO stranger;",
    );
    await execute(
      owner,
      `GRANT USAGE ON SCHEMA animal_store TO stranger;
       GRANT ALL ON ALL TABLES IN SCHEMA animal_store TO stranger;
       GRANT ALL ON ALL SEQUENCES IN SCHEMA animal_store TO stranger;
       ALTER TABLE animal_store.animal ENABLE ROW LEVEL SECURITY;
       REVOKE EXECUTE ON ALL FUNCTIONS IN SCHEMA animal_store FROM PUBLIC`,
    );
    expect(await complaint(stranger)).toContain(
      "as its owner, postgres, say GRANT EXECUTE ON ALL FUNCTIONS IN SCHEMA animal_store TO stranger;",
    );
    await execute(owner, "GRANT EXECUTE ON ALL FUNCTIONS IN SCHEMA animal_store TO stranger");
    expect(await complaint(stranger)).toContain(
      "row security hides rows of animal in the schema animal_store from the user stranger",
    );
    await execute(owner, "ALTER TABLE animal_store.animal DISABLE ROW LEVEL SECURITY");
    expect(await runAs(stranger, "keys", "list")).toMatchObject({ exitCode: 0 });
  });

  test("a role whose name needs quotes is told valid statements, which also allow it to copy a store in", async () => {
    await starting;
    await execute(
      server.url,
      `CREATE ROLE "Our App" LOGIN;
       CREATE DATABASE "Our Animals";
       REVOKE TEMPORARY ON DATABASE "Our Animals" FROM PUBLIC`,
    );
    const owner = urlFor("postgres", "Our%20Animals");
    const app = urlFor("Our%20App", "Our%20Animals");
    expect(await complaint(app)).toContain('GRANT CREATE ON DATABASE "Our Animals" TO "Our App".');
    expect(await runAs(owner, "migrate")).toMatchObject({ exitCode: 0 });
    for (const count of [2, 2]) {
      const statements = (await complaint(app)).match(/GRANT [^;]+ TO "Our App";/g) ?? [];
      expect(statements).toHaveLength(count);
      await execute(owner, statements.join("\n"));
    }
    using folder = temporaryFolder();
    const options = { cwd: folder.path };
    const source = "sqlite:./source.db";
    expect(await run(["seed", "--count", "3", "--database", source], options)).toMatchObject({ exitCode: 0 });
    expect(await run(["copy", "--from", source, "--to", app], options)).toMatchObject({ exitCode: 0 });
    expect((await runAs(app, "export", "--format", "ndjson")).stdout.trim().split("\n")).toHaveLength(3);
  });

  test("while rights of a running service are revoked, requests get 503", async () => {
    await starting;
    await execute(server.url, "CREATE ROLE passer LOGIN;\nCREATE DATABASE passing OWNER passer");
    using folder = temporaryFolder();
    const url = urlFor("passer", "passing");
    await using serving = await serve({ cwd: folder.path, env: { DATABASE_URL: url + UNHURRIED } });
    const caller = new Caller({ address: serving.address, key: serving.key });
    expect((await caller.create("before")).status).toBe(201);
    await execute(url, "REVOKE ALL ON animal_store.animal FROM passer");
    expect((await caller.create("during")).status).toBe(503);
    expect((await caller.list("limit=7")).status).toBe(503);
    await execute(url, "GRANT ALL ON animal_store.animal TO passer");
    expect((await caller.create("after")).status).toBe(201);
  });
});
