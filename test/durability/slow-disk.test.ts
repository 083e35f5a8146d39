import { Database } from "bun:sqlite";
import { expect, test } from "bun:test";
import { join } from "node:path";
import { Caller, startCreate } from "../support/caller.ts";
import { temporaryFolder } from "../support/folder.ts";
import { serve } from "../support/program.ts";

const ENV = { DATABASE_URL: "sqlite:./store.db" };

test("lists are answered while creates wait for another process's lock", async () => {
  using folder = temporaryFolder();
  await using service = await serve({ cwd: folder.path, env: ENV });
  using other = new Database(join(folder.path, "store.db"));
  other.run("BEGIN IMMEDIATE");
  const creating = startCreate(service, "waits");
  const caller = new Caller(service);
  for (let count = 0; count < 100; count++) {
    const answer = await caller.list(`limit=${1 + (count % 100)}`);
    expect(await answer.json()).toEqual([]);
  }
  expect(creating.answered()).toBe(false);
  other.run("ROLLBACK");
  expect((await creating.answer).status).toBe(201);
  expect(await caller.names()).toEqual(["waits"]);
});
