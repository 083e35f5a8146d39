import { expect, test } from "bun:test";
import type { PostgresServer } from "../../test/support/postgres/server.ts";
import { type Servers, startServers } from "../../test/support/postgres/with-standbys.ts";
import { until } from "../../test/support/until.ts";
import { startReaders, untilAnswers } from "./readers.ts";

// A standby refuses a statement of a serializable transaction: a session begins with what its database or role says.

const DATABASE = "animals";

/** The database's setting counts as a role's does, and lets the test ask the standby whether it has it. */
async function makeSerializable({ primary, standbys: [standby] }: Servers): Promise<void> {
  await primary.query(`ALTER DATABASE ${DATABASE} SET default_transaction_isolation = serializable`);
  await until(async () => (await standby?.query("SELECT 1 FROM pg_db_role_setting"))?.length === 1);
}

test("a standby answers where transactions are serializable", async () => {
  await using servers = await startServers({ standbys: [[]] });
  const [standby] = servers.standbys as [PostgresServer];
  await servers.createDatabase(DATABASE);
  await makeSerializable(servers);
  await using readers = await startReaders(servers.url(DATABASE), 1);
  await untilAnswers(readers, standby);
});

test("a slow commit that a standby has is acknowledged where transactions are serializable", async () => {
  await using servers = await startServers({
    synchronous: "standby1",
    standbys: [["recovery_min_apply_delay=400ms"]],
    settings: ["synchronous_commit=remote_apply"],
  });
  await servers.createDatabase(DATABASE);
  await makeSerializable(servers);
  await using readers = await startReaders(servers.url(DATABASE), 1);
  for (let time = 0; time < 5; time++) expect((await readers.caller(0).create(`${time}`)).status).toBe(201);
});
