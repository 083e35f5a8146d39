import { expect, test } from "bun:test";
import { StatementRecorder } from "../../test/postgres/statement-recorder.ts";
import { startServers } from "../../test/support/postgres/with-standbys.ts";
import { startProxy } from "../../test/support/proxy.ts";
import { startReaders, untilAnswers } from "./readers.ts";

/** One statement: a migration holds several. */
const READ = /^\s*(?:SELECT|WITH)\b[^;]*\bFROM animal_store\.[^;]*$/;

test("what a read asks the primary and a standby is prepared, so no server plans it again", async () => {
  await using servers = await startServers();
  await servers.createDatabase("animals");
  await using undo = new AsyncDisposableStack();
  const recorder = new StatementRecorder();
  const proxies: { port: number }[] = [];
  for (const { port } of [servers.primary, ...servers.standbys]) {
    proxies.push(undo.use(await startProxy(port, recorder)));
  }
  await using store = await startReaders(servers.url("animals", proxies), 1);
  const caller = store.caller(0);
  expect((await caller.create("Rex")).status).toBe(201);
  for (const standby of proxies.slice(1)) await untilAnswers(store, standby);
  for (const [path, status] of [
    ["/v1/pets/1", 200],
    ["/v1/orders", 200],
    ["/v1/orders/1", 404],
    ["/v1/events", 200],
  ] as const) {
    expect((await caller.get(path)).status).toBe(status);
  }
  // The list of the keys is read at the start alone.
  const isRead = (text: string) => READ.test(text) && !text.includes("animal_store.key_use");
  const reads = recorder.statements().filter(({ text }) => isRead(text));
  // Of the primary and of a standby.
  expect(reads.filter(({ text }) => text.includes("AS shown"))).toHaveLength(2);
  expect(reads.filter(({ isPrepared }) => !isPrepared)).toEqual([]);
});
