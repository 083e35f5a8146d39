import { expect, test } from "bun:test";
import { Caller, expectUnavailable } from "../../test/support/caller.ts";
import { temporaryFolder } from "../../test/support/folder.ts";
import { serve } from "../../test/support/program.ts";

const CREATES = 40;

test("while the supervisor is frozen every create gets a response, reads continue, and nothing is lost or stored twice", async () => {
  using folder = temporaryFolder();
  await using service = await serve({ cwd: folder.path, env: { WORKERS: "2" } });
  // On connections of their own, so that both workers have some.
  const caller = new Caller(service, false);
  expect((await caller.create("before")).status).toBe(201);
  const names = Array.from({ length: CREATES }, (_, count) => `${count}`);
  process.kill(service.pid, "SIGSTOP");
  const answers = names.map((name) => caller.create(name));
  expect(await caller.names()).toEqual(["before"]);
  for (const answer of await Promise.all(answers)) await expectUnavailable(answer);
  expect(await caller.names()).toEqual(["before"]);
  process.kill(service.pid, "SIGCONT");

  await Promise.all(names.map((name) => caller.createInTheEnd(name)));
  expect((await caller.names()).toSorted()).toEqual(["before", ...names].toSorted());
  const animals = (await (await caller.list()).json()) as { id: number }[];
  expect(animals.map(({ id }) => id)).toEqual(Array.from({ length: CREATES + 1 }, (_, at) => at + 1));
});
