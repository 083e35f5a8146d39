import { expect, test } from "bun:test";
import { findPrimary } from "../../src/stores/postgres/connect/primary.ts";
import { type PostgresUrl, readPostgresUrl } from "../../src/stores/postgres/connect/url.ts";
import { UNHURRIED } from "../../test/support/postgres/unhurried.ts";
import { until } from "../../test/support/until.ts";
import { startReplicatedPostgres } from "./replication.ts";

test("a standby that is promoted while another host is silent is found before that host is given up", async () => {
  await using postgres = await startReplicatedPostgres();
  let waiting = 0;
  // As a host whose packets are dropped: it takes connections here, and never says a word.
  using silent = Bun.listen({
    hostname: "127.0.0.1",
    port: 0,
    socket: {
      data() {},
      open() {
        waiting++;
      },
      close() {
        waiting--;
      },
    },
  });
  const hosts = `127.0.0.1:${silent.port},127.0.0.1:${postgres.standby.port}`;
  const url = readPostgresUrl(`postgres://postgres@${hosts}/postgres${UNHURRIED}`) as PostgresUrl;
  const finding = findPrimary({ ...url, ca: undefined, cert: undefined, key: undefined }, 0, false);
  finding.catch(() => {});
  const connected =
    "SELECT 1 FROM pg_stat_activity WHERE application_name = 'animal-store' AND state = 'idle'";
  await until(async () => (await postgres.standby.query(connected)).length > 0);
  await postgres.promote();
  const { host, session, writable } = await finding;
  session.sql.close({ timeout: 0 }).catch(() => {});
  expect([host.port, writable]).toEqual([postgres.standby.port, true]);
  expect(waiting).toBe(1);
});
