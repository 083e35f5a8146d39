import { Database } from "bun:sqlite";
import { expect, test } from "bun:test";
import { join } from "node:path";
import { Caller, expectUnavailable } from "../../test/support/caller.ts";
import { temporaryFolder } from "../../test/support/folder.ts";
import { serve } from "../../test/support/program.ts";

test("while a disk hangs, every create gets a response, and none is lost or stored twice", async () => {
  using folder = temporaryFolder();
  await using service = await serve({ cwd: folder.path, env: { DATABASE_URL: "sqlite:./store.db" } });
  const caller = new Caller(service);
  expect((await caller.create("before")).status).toBe(201);

  // Who holds SQLite's write lock is to all others a disk that does not write.
  using other = new Database(join(folder.path, "store.db"));
  other.run("BEGIN IMMEDIATE");
  const names: string[] = [];
  const answers: Promise<Response>[] = [];
  // A runtime that loses patience would close the connection: then these reject. Those that come later wait
  // behind those that came before.
  for (let burst = 0; burst < 5; burst++) {
    for (let count = 0; count < 20; count++) {
      const name = `${burst}.${count}`;
      names.push(name);
      answers.push(caller.create(name));
    }
    expect(await caller.names()).toEqual(["before"]);
    await Bun.sleep(300);
  }
  for (const answer of await Promise.all(answers)) await expectUnavailable(answer);
  expect(await caller.names()).toEqual(["before"]);
  other.run("ROLLBACK");

  await Promise.all(names.map((name) => caller.createInTheEnd(name)));
  expect((await caller.names()).sort()).toEqual(["before", ...names].sort());
});
