import { expect, test } from "bun:test";
import { AsyncLocalStorage } from "node:async_hooks";
import { StoreFailure } from "../../src/domain/failure.ts";
import { CATALOGUE } from "../../src/operations/catalogue.ts";
import { onEveryEngine } from "../support/engines.ts";

onEveryEngine(({ startService }) => {
  test("an operation with a defect gets one response, with 500, if the key is valid", async () => {
    const run = (): never => {
      throw new Error("for the test");
    };
    const operations = CATALOGUE.map((each) => (each.id === "getPet" ? { ...each, run } : each));
    await using service = await startService({ operations });
    const { id, key } = await service.issueKey();
    const headers = { authorization: `Bearer ${key}` };
    for (let n = 0; n < 3; n++) {
      expect((await service.call("/v1/pets/1", { headers })).status).toBe(500);
      expect((await service.call("/v1/pets")).status).toBe(200);
    }
    await service.store.revokeKey(id, Date.now());
    expect((await service.call("/v1/pets/1", { headers })).status).toBe(401);
    expect(service.answered.map(({ status }) => status)).toEqual([500, 200, 500, 200, 500, 200, 401]);
    expect(service.events.map(({ event }) => event)).toEqual(Array(3).fill("request_failed"));
  });

  test("a store that refuses all reads is reported for each request once, in its own trace", async () => {
    const traces = new AsyncLocalStorage<string>();
    const told: (readonly [string | undefined, string])[] = [];
    await using service = await startService({
      observer: {
        around: ({ traceparent }, work) => traces.run(traceparent ?? "", work),
        answered: ({ failure }) => told.push([traces.getStore(), failure ?? "none"]),
      },
    });
    service.store.read = () => {
      throw new StoreFailure("store_unavailable", "for the test");
    };
    const names = Array.from({ length: 150 }, (_, n) => `trace ${n}`);
    const ask = (traceparent: string) => service.call("/v1/pets", { headers: { traceparent } });
    for (const { status } of await Promise.all(names.map(ask))) expect(status).toBe(503);
    expect(told.sort()).toEqual(names.map((name) => [name, "store_unavailable"] as const).sort());
  });
});
