import { expect, test } from "bun:test";
import { Caller } from "../../test/support/caller.ts";
import { temporaryFolder } from "../../test/support/folder.ts";
import { keepDoing } from "../../test/support/keep-doing.ts";
import { serve } from "../../test/support/program.ts";

const KILLS = 6;
const CLIENTS = 8;

test("workers that are killed in the middle of creates lose nothing, and a retried create is stored once", async () => {
  using folder = temporaryFolder();
  await using service = await serve({ cwd: folder.path, env: { WORKERS: "2" } });
  // Half of the clients keep their connections, the others may get another worker each time.
  const callers = Array.from({ length: CLIENTS }, (_, at) => new Caller(service, at % 2 === 0));
  const acknowledged: string[] = [];
  const ids = new Set<number>();
  let cutOff = 0;
  using creating = keepDoing(CLIENTS, async (client, time) => {
    const name = `${client}.${time}`;
    for (;;) {
      const answer = await (callers[client] as Caller).create(name).catch(() => undefined);
      const { id } = ((await answer?.json().catch(() => undefined)) ?? {}) as { id?: number };
      if (id === undefined) cutOff++;
      else {
        expect(answer?.status).toBe(201);
        expect(ids.has(id)).toBe(false);
        ids.add(id);
        acknowledged.push(name);
        return;
      }
    }
  });
  for (let kill = 1; kill <= KILLS; kill++) {
    const enough = acknowledged.length + 50;
    await creating.until(() => acknowledged.length >= enough);
    const workers = service.workers();
    process.kill(workers[kill % workers.length] as number, "SIGKILL");
    await creating.until(() => service.output().split("is replaced").length > kill);
  }
  await creating.stop();
  expect(cutOff).toBeGreaterThan(0);
  expect((await new Caller(service).names()).sort()).toEqual(acknowledged.sort());
});
