import { expect, test } from "bun:test";
import type { PostgresServer } from "../../test/support/postgres/server.ts";
import { startServers } from "../../test/support/postgres/with-standbys.ts";
import { startReaders, untilAnswers } from "./readers.ts";

// Whatever a URL names beside the primary: the log says what is wrong with it, and no answer is.

const DATABASE = "animals";

test("a standby that does not have the database yet is named, and answers once it has", async () => {
  await using servers = await startServers({ standbys: [[]] });
  const { primary, standbys } = servers;
  const [standby] = standbys as [PostgresServer];
  await standby.query("SELECT pg_wal_replay_pause()");
  await primary.query(`CREATE DATABASE ${DATABASE}`);
  await using readers = await startReaders(servers.url(DATABASE), 1);
  const caller = readers.caller(0);
  const animal = await (await caller.create("Rex")).json();
  await readers.processes[0]?.says(
    `the standby at 127.0.0.1:${standby.port} answers no reads: it has no database ${DATABASE}`,
  );
  expect(await (await caller.get("/v1/pets/1")).json()).toEqual(animal);
  await standby.query("SELECT pg_wal_replay_resume()");
  await untilAnswers(readers, standby);
});

test("a standby that follows another standby answers, and the log says so", async () => {
  await using servers = await startServers({ lastFollows: 0 });
  await servers.createDatabase(DATABASE);
  await using readers = await startReaders(servers.url(DATABASE), 1);
  const last = servers.standbys.at(-1) as PostgresServer;
  await untilAnswers(readers, last);
  await readers.processes[0]?.says(`the standby at 127.0.0.1:${last.port} answers reads`);
});

test("a standby that the URL names twice, by two names, is named, and answers under the first one", async () => {
  await using servers = await startServers({ standbys: [[]] });
  await servers.createDatabase(DATABASE);
  const [standby] = servers.standbys as [PostgresServer];
  const url = servers.url(DATABASE);
  const again = `localhost:${standby.port}`;
  const [, hosts = ""] = /@([^/]+)\//.exec(url) ?? [];
  await using readers = await startReaders(url.replace(hosts, `${hosts},${again}`), 1);
  await untilAnswers(readers, standby);
  await readers.processes[0]?.says(
    `the standby at ${again} answers no reads: it is the standby at 127.0.0.1:${standby.port}, under another name; name each server once`,
  );
  await untilAnswers(readers, standby);
});
