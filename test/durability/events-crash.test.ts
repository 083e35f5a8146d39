import { expect, test } from "bun:test";
import { EventReader } from "../support/event-reader.ts";
import { temporaryFolder } from "../support/folder.ts";
import { type ServiceProcess, serve } from "../support/program.ts";

const KILLS = 4;

for (const workers of ["1", "2"]) {
  test(`a stream resumed after each kill -9 misses nothing and repeats nothing, with ${workers} workers`, async () => {
    using folder = temporaryFolder();
    const start = () => serve({ cwd: folder.path, env: { STABILITY: "experimental", WORKERS: workers } });
    const acknowledged = new Set<number>();
    const received: { readonly id: number; readonly pet: number }[] = [];
    for (let kill = 0; kill <= KILLS; kill++) {
      await using service = await start();
      const last = received.at(-1);
      const headers = last ? { "last-event-id": String(last.id) } : undefined;
      await using reader = await EventReader.open(service.address, service.key, "/v1/events", headers);
      let killed = false;
      const creating = Promise.all(
        Array.from({ length: 8 }, async () => {
          while (!killed && acknowledged.size < (kill + 1) * 300) {
            const id = await create(service);
            if (id !== undefined) acknowledged.add(id);
          }
        }),
      );
      // Each time it dies between two events; the last time everything is read.
      const reading = (async () => {
        for (let n = 0; n < 150; n++) receive(await reader.next());
      })();
      await reading;
      if (kill < KILLS) service.kill("SIGKILL");
      killed = true;
      await creating;
      if (kill === KILLS) {
        const missing = () => [...acknowledged].some((id) => !received.some(({ pet }) => pet === id));
        while (missing()) receive(await reader.next());
      }
    }
    const ids = received.map(({ id }) => id);
    expect(ids).toEqual([...new Set(ids)].sort((one, other) => one - other));
    const pets = received.map(({ pet }) => pet);
    // Creates are seen in the order of their ids, each once: those whose acknowledgement a kill swallowed, too.
    expect(pets).toEqual([...new Set(pets)].sort((one, other) => one - other));

    function receive(event: Awaited<ReturnType<EventReader["next"]>>): void {
      expect(event?.type).toBe("animal.created");
      received.push({ id: Number(event?.id), pet: JSON.parse(event?.data ?? "").animal.id });
    }
  });
}

/** The id of a new animal; `undefined` where the service died before its answer. */
async function create({ address, key }: ServiceProcess): Promise<number | undefined> {
  try {
    const answer = await fetch(`${address}/v1/pets`, {
      method: "POST",
      headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
      body: '{"name":"Rex","categoryId":1}',
    });
    return ((await answer.json()) as { id: number }).id;
  } catch {
    return undefined;
  }
}
