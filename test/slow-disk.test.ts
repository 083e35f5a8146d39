import { Database } from "bun:sqlite";
import { expect, test } from "bun:test";
import { join } from "node:path";
import { Caller } from "./support/caller.ts";
import { temporaryFolder } from "./support/folder.ts";
import { type ServiceProcess, serve } from "./support/program.ts";

const ENV = { DATABASE_URL: "sqlite:./store.db" };
const CREATES = 20;
/** Lists answered while a create waits, on average: if reads waited for the disk, there would be one or two. */
const LISTS_MEANWHILE = 5;

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

const strace = Bun.which("strace");
if (process.env.CI && !strace) throw new Error("CI must bring strace: this promise is tested with it");

test.skipIf(!strace)(
  "lists are answered while each sync takes 20 ms longer (needs strace)",
  async () => {
    using folder = temporaryFolder();
    const slowSyncs = ["-e", "trace=fdatasync,fsync", "-e", "inject=fdatasync,fsync:delay_exit=20000"];
    // -D: the service is our child, as it would be untraced, and the tracer ends with it.
    const before = [strace as string, "-D", "-f", "-qq", "-o", "/dev/null", ...slowSyncs];
    await using service = await serve({ cwd: folder.path, env: ENV, before });
    const caller = new Caller(service);
    await caller.list();
    let lists = 0;
    for (let create = 0; create < CREATES; create++) {
      const creating = startCreate(service, `slow ${create}`);
      while (!creating.answered()) {
        await (await caller.list("limit=20")).arrayBuffer();
        lists++;
      }
      expect((await creating.answer).status).toBe(201);
    }
    expect(lists).toBeGreaterThan(CREATES * LISTS_MEANWHILE);
  },
  30_000,
);

function startCreate(service: ServiceProcess, name: string) {
  let answered = false;
  const answer = new Caller(service).create(name).finally(() => {
    answered = true;
  });
  return { answer, answered: () => answered };
}
