import { afterAll, expect, test } from "bun:test";
import { join } from "node:path";
import { SQL } from "bun";
import { temporaryFolder } from "../support/folder.ts";
import { startPostgres } from "../support/postgres.ts";
import { run } from "../support/program.ts";
import { createStore } from "../support/store-place.ts";
import { until } from "../support/until.ts";

const server = await startPostgres();
afterAll(() => server[Symbol.asyncDispose]());

/** How long a lock is held: longer than any statement of a request may take. */
const HELD_MS = 3000;

test("`keys` and bulk commands wait for a lock longer than a request may, and name its holder", async () => {
  const url = await server.createDatabase();
  // As a user says it, with no longer deadline than holds by itself.
  const plain = url.split("?")[0] as string;
  using folder = temporaryFolder();
  await createStore(url);
  await Bun.write(join(folder.path, "animals.csv"), "name,categoryId\nWaits,1\n");
  await using holder = new SQL({ url: plain, max: 1, connection: { application_name: "long maintenance" } });
  await using admin = new SQL({ url: plain, max: 1 });
  await holder.unsafe("BEGIN");
  await holder.unsafe("LOCK TABLE animal_store.state IN EXCLUSIVE MODE");

  const options = { cwd: folder.path, env: { DATABASE_URL: plain } };
  const commands = [
    ["keys", "create", "--name", "patient"],
    ["import", "animals.csv"],
  ];
  const running = Promise.all(commands.map((args) => run(args, options)));
  const waiting = () =>
    admin`SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`;
  await until(async () => (await waiting()).length === commands.length);
  await Bun.sleep(HELD_MS);
  expect((await waiting()).length).toBe(commands.length);
  await holder.unsafe("COMMIT");

  const ended = await running;
  for (const { stderr } of ended) {
    expect(stderr).toMatch(
      /^This command waits for (?:long maintenance|animal-store) of \w+, process \d+, in a/m,
    );
  }
  expect(ended.map(({ stderr }) => stderr).join("")).toContain("waits for long maintenance of ");
  expect(ended.map(({ exitCode }) => exitCode)).toEqual([0, 0]);
  expect(ended[0]?.stdout).toStartWith("as_live_");
});
