import "../../test/support/run-limits.ts";
import { afterAll, expect, test } from "bun:test";
import { join } from "node:path";
import type { Observation } from "../../src/observations/observation.ts";
import { openPostgresStore } from "../../src/stores/postgres/store.ts";
import { UNHURRIED } from "../../test/support/postgres/unhurried.ts";
import { startOwnPostgres } from "../../test/support/postgres.ts";
import { until } from "../../test/support/until.ts";

const [ours, foreign] = await Promise.all([
  startOwnPostgres(["fsync=off"]),
  startOwnPostgres(["fsync=off"], undefined, true),
]);
afterAll(async () => {
  await ours[Symbol.asyncDispose]();
  await foreign[Symbol.asyncDispose]();
});

const newDatabase = async () => (await ours.createDatabase()) + UNHURRIED;

/** The address of a new database of the same name on both servers, of which ours comes first. */
async function databaseOnBoth(): Promise<string> {
  const url = new URL(await newDatabase());
  await foreign.query(`CREATE DATABASE ${url.pathname.slice(1)}`);
  return url.href.replace(`:${ours.port}/`, `:${ours.port},127.0.0.1:${foreign.port}/`);
}

const animal = { name: "Rex", categoryId: 1n, status: "available" } as const;

test("a server of another cluster at a standby's address is named, and neither asked nor believed", async () => {
  const url = await databaseOnBoth();
  await foreign.kill();
  const events: Observation[] = [];
  const emit = (event: Observation) => void events.push(event);
  const store = await openPostgresStore(url, Date.now, { readStandbys: true, emit });
  try {
    const { id } = (await store.addAnimal(animal)) as { id: bigint };
    // A promotion gives it a later timeline than ours.
    await Bun.write(join(foreign.data, "standby.signal"), "");
    await foreign.startAgain();
    await foreign.query("SELECT pg_promote()");
    const isNamed = (reason: string) =>
      JSON.stringify(reason).includes("belongs to another cluster (system identifier");
    await until(() =>
      events.some((event) => event.event === "database_server_foreign" && isNamed(event.reason)),
    );
    await until(() => events.some((event) => event.event === "standby_stopped" && isNamed(event.reason)));
    for (let time = 0; time < 10; time++) {
      expect(await store.findAnimal(id)).toMatchObject({ name: "Rex" });
      await store.addAnimal(animal);
    }
    expect(events.filter(({ event }) => event === "database_server_foreign")).toHaveLength(1);
    expect(events.filter(({ event }) => event === "database_server_found")).toEqual([]);
  } finally {
    await store.close();
  }
});

test("no store is opened where a URL names primaries of two clusters, and nothing says which is meant", async () => {
  const url = await databaseOnBoth();
  await expect(openPostgresStore(url, Date.now)).rejects.toThrow("name servers of one cluster");
});

test("of the primaries of two clusters, the one with the store is used", async () => {
  const url = await databaseOnBoth();
  const alone = await openPostgresStore(url.replace(`,127.0.0.1:${foreign.port}`, ""), Date.now);
  await alone.addAnimal(animal);
  await alone.close();
  const [first, second] = [`127.0.0.1:${ours.port}`, `127.0.0.1:${foreign.port}`];
  const store = await openPostgresStore(url.replace(`${first},${second}`, `${second},${first}`), Date.now);
  try {
    expect(await store.findAnimal(1n)).toMatchObject({ name: "Rex" });
  } finally {
    await store.close();
  }
});

test("a server that a URL names twice, by two names, is named, and not taken for its own standby", async () => {
  const url = await newDatabase();
  const twice = url.replace(`:${ours.port}/`, `:${ours.port},localhost:${ours.port}/`);
  const events: Observation[] = [];
  const emit = (event: Observation) => void events.push(event);
  const store = await openPostgresStore(twice, Date.now, { readStandbys: true, emit });
  try {
    const { id } = (await store.addAnimal(animal)) as { id: bigint };
    const isNamed = (event: Observation) =>
      "reason" in event && `${event.reason}`.includes("is the server in use, under another name");
    await until(() => events.some((event) => event.event === "database_server_foreign" && isNamed(event)));
    await until(() => events.some((event) => event.event === "standby_stopped" && isNamed(event)));
    expect(await store.findAnimal(id)).toMatchObject({ name: "Rex" });
    await store.addAnimal(animal);
  } finally {
    await store.close();
  }
});
