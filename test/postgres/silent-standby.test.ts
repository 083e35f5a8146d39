import { afterAll, expect, test } from "bun:test";
import type { Observation } from "../../src/observations/observation.ts";
import { openPostgresStore } from "../../src/stores/postgres/store.ts";
import { PostgresDatabases } from "../support/postgres/databases.ts";
import { startPostgres } from "../support/postgres.ts";
import { until } from "../support/until.ts";

const server = await startPostgres();
afterAll(() => server[Symbol.asyncDispose]());
const databases = new PostgresDatabases(server);

test("the log says once why a standby answers no reads, also if it has never answered one", async () => {
  await using database = await databases.create();
  const events: Observation[] = [];
  const url = database.url.replace(/(@[^/]+)/, "$1,127.0.0.1:1");
  const store = await openPostgresStore(url, Date.now, {
    readStandbys: true,
    emit: (event) => void events.push(event),
  });
  try {
    await until(() => events.length > 0);
    expect(await store.findAnimal(1n)).toBeUndefined();
    expect(events).toEqual([
      { event: "standby_stopped", host: "127.0.0.1:1", reason: expect.stringContaining("cannot be reached") },
    ]);
  } finally {
    await store.close();
  }
});
