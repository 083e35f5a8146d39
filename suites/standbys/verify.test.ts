import { expect, test } from "bun:test";
import { temporaryFolder } from "../../test/support/folder.ts";
import { startServers } from "../../test/support/postgres/with-standbys.ts";
import { run } from "../../test/support/program.ts";
import { startProxy } from "../../test/support/proxy.ts";
import { reportOf } from "../../test/verify/verify-report.ts";
import { startReaders, untilAnswers } from "./readers.ts";

test("the contract holds over two instances in turn that read from two standbys", async () => {
  await using servers = await startServers();
  await servers.createDatabase("animals");
  await using store = await startReaders(servers.url("animals"), 2);
  expect((await store.caller(0).create("Rex")).status).toBe(201);
  for (const standby of servers.standbys) await untilAnswers(store, standby);
  const answers = async () => {
    const each = await Promise.all(servers.standbys.map((standby) => store.answersOf(standby)));
    return each.reduce((sum, count) => sum + count, 0);
  };
  const before = await answers();
  const ports = store.processes.map(({ address }) => Number(new URL(address).port));
  await using balancer = await startProxy(ports);
  using folder = temporaryFolder();
  const url = `http://127.0.0.1:${balancer.port}`;
  const done = await run(["verify", "--url", url, "--key", store.keys[0] as string, "--json"], {
    cwd: folder.path,
  });
  const { passed, checks } = reportOf(done);
  expect(checks.map(({ failure }) => failure).filter(Boolean)).toEqual([]);
  expect({ passed, exitCode: done.exitCode }).toEqual({ passed: true, exitCode: 0 });
  expect(await answers()).toBeGreaterThan(before);
});
