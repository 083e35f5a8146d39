import { afterAll, expect, test } from "bun:test";
import { SQL } from "bun";
import { temporaryFolder } from "../../test/support/folder.ts";
import { startInstances } from "../../test/support/instances.ts";
import { keepDoing } from "../../test/support/keep-doing.ts";
import { startOwnPostgres } from "../../test/support/postgres.ts";
import { run } from "../../test/support/program.ts";
import { until } from "../../test/support/until.ts";
import { startPgBouncer } from "./pgbouncer.ts";

const server = await startOwnPostgres();
afterAll(() => server[Symbol.asyncDispose]());

/** Tries to start, and to list keys; returns the one line that both say. */
async function complaint(DATABASE_URL: string): Promise<string> {
  using folder = temporaryFolder();
  const options = { cwd: folder.path, env: { DATABASE_URL } };
  const serving = await run(["serve", "--port", "0"], options);
  expect(serving).toMatchObject({ exitCode: 1, stdout: "" });
  expect(serving.stderr).toMatch(/^animal-store: [^\n]*\n$/);
  expect(await run(["keys", "list"], options)).toEqual(serving);
  return serving.stderr;
}

for (const mode of ["transaction", "statement"] as const) {
  for (const busy of [false, true]) {
    test(`a pooler in ${mode} mode${busy ? " with other clients" : ""} is refused, with what to do`, async () => {
      await using pooler = await startPgBouncer(await server.createDatabase(), mode);
      const others = Array.from({ length: busy ? 3 : 0 }, () => new SQL({ url: pooler.url, max: 1 }));
      using _ = keepDoing(
        others.length,
        async (at) => void (await others[at]?.unsafe("SELECT pg_sleep(0.001)")),
      );
      for (let time = 0; time < 5; time++) {
        expect(await complaint(pooler.url)).toContain(
          "is behind a pooler that gives statements of one session to several servers (transaction or statement mode): " +
            "set pool_mode = session there, or name PostgreSQL itself",
        );
      }
      // Nothing was made, and what others get of the pooler is as it was.
      await using sql = new SQL({ url: pooler.url, max: 5 });
      const sessions = await Promise.all(
        Array.from({ length: 5 }, () =>
          sql.unsafe(`SELECT current_setting('statement_timeout') AS timeout, pg_sleep(0.1),
                             to_regnamespace('animal_store') AS made`),
        ),
      );
      for (const [row] of sessions) expect(row).toMatchObject({ timeout: "0", made: null });
      await Promise.all(others.map((other) => other.close({ timeout: 0 })));
    });
  }
}

test("a pooler that is set to transaction mode under a service is refused, until it is set back", async () => {
  await using pooler = await startPgBouncer(await server.createDatabase(), "session");
  await using instances = await startInstances(pooler.url, 1);
  const caller = instances.caller(0);
  const statuses = new Set<number>();
  const all = new Set<number>();
  using busy = keepDoing(4, async () => {
    const response = await caller.get("/v1/pets");
    await response.body?.cancel();
    statuses.add(response.status);
    all.add(response.status);
  });
  await busy.until(() => statuses.has(200));
  await pooler.reload("transaction");
  await instances.processes[0]?.says("is behind a pooler that gives statements of one session to several");
  await busy.until(() => statuses.has(503));
  await pooler.reload("session");
  statuses.clear();
  await busy.until(() => statuses.has(200));
  await busy.stop();
  expect([...all].sort()).toEqual([200, 503]);
});

test("a pooler that takes no further client is not said to be in another mode", async () => {
  await using pooler = await startPgBouncer(await server.createDatabase(), "session");
  await pooler.reload("session", 1);
  // Until PgBouncer has read that, the command finds an empty database.
  using folder = temporaryFolder();
  const options = { cwd: folder.path, env: { DATABASE_URL: pooler.url } };
  await until(async () => (await run(["keys", "list"], options)).stderr.includes("cannot use PostgreSQL"));
  expect(await complaint(pooler.url)).toContain("no more connections allowed (max_client_conn)");
});

test("an option that a pooler does not take is named", async () => {
  await using pooler = await startPgBouncer(await server.createDatabase(), "session");
  expect(await complaint(`${pooler.url}?options=-c%20geqo%3Doff`)).toContain(
    "a pooler takes no option `options`: leave it out of the URL",
  );
});
