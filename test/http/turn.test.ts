import { afterAll, beforeAll, expect, test } from "bun:test";
import { StoreFailure } from "../../src/domain/failure.ts";
import { operationsOffered } from "../../src/operations/catalogue.ts";
import { onEveryEngine } from "../support/engines.ts";
import type { Service } from "../support/service.ts";

/** More than a turn takes, so that several turns run. */
const BURST = 150;

onEveryEngine(({ startService }) => {
  let service: Service;
  /** How many animals each turn looked for. */
  let looked: number[] = [];
  let isLooking = false;
  /** What a look for an animal does instead of looking, by its id. */
  const faults = new Map<bigint, () => never | Promise<never>>();
  let hold = () => {};

  beforeAll(async () => {
    service = await startService();
    for (let n = 0; n < 20; n++) {
      expect((await service.create(`{"name":"${n + 1}","categoryId":1}`)).status).toBe(201);
    }
    const store = service.store;
    const findAnimal = store.findAnimal.bind(store);
    store.findAnimal = (id) => {
      if (!isLooking) {
        looked.push(0);
        isLooking = true;
        // The reads of a turn follow each other, and nothing comes between them.
        queueMicrotask(() => {
          isLooking = false;
        });
      }
      looked[looked.length - 1] = (looked.at(-1) ?? 0) + 1;
      hold();
      return faults.get(id)?.() ?? findAnimal(id);
    };
  });
  afterAll(() => service[Symbol.asyncDispose]());

  /** Sends requests for animals at once, each by a target of its own; until many of them have shared a turn. */
  async function burst(ask: (n: number) => Promise<Response>): Promise<Response[]> {
    for (;;) {
      looked = [];
      const answers = await Promise.all(Array.from({ length: BURST }, (_, n) => ask(n)));
      if (looked.some((count) => count > 4)) return answers;
    }
  }

  let serial = 0;
  const path = (id: number) => `/v1/pets/${id}?n=${serial++}`;

  async function expectAnimal(answer: Response, id: number): Promise<void> {
    expect(answer.status).toBe(200);
    expect(await answer.json()).toMatchObject({ id, name: `${id}` });
  }

  test("a turn answers each of many requests with its own animal, at most 64 in a turn", async () => {
    const answers = await burst((n) => service.call(path((n % 20) + 1)));
    for (const [n, answer] of answers.entries()) await expectAnimal(answer, (n % 20) + 1);
    expect(Math.max(0, ...looked)).toBeLessThanOrEqual(64);
  });

  test("a turn in which some requests fail answers the others", async () => {
    faults.set(3n, () => {
      throw new TypeError("for the test");
    });
    faults.set(4n, () => {
      throw new StoreFailure("store_unavailable", "for the test");
    });
    faults.set(5n, () => Promise.reject(new Error("for the test")));
    service.events.length = 0;
    const answers = await burst((n) => service.call(path((n % 20) + 1)));
    faults.clear();
    for (const [n, answer] of answers.entries()) {
      const id = (n % 20) + 1;
      if (id < 3 || id > 5) await expectAnimal(answer, id);
      else expect(await answer.json()).toMatchObject({ status: id === 4 ? 503 : 500 });
    }
    const failed = service.events.splice(0).map(({ event }) => event);
    expect(new Set(failed)).toEqual(new Set(["request_failed", "store_failed"]));
  });

  test("a turn in which some clients disconnect answers the others", async () => {
    const gone = new AbortController();
    hold = () => gone.abort();
    const answers = await burst(async (n) => {
      const init = n % 3 === 0 ? { signal: gone.signal } : {};
      return service.call(path((n % 20) + 1), init).catch(() => new Response(null, { status: 499 }));
    });
    hold = () => {};
    for (const [n, answer] of answers.entries()) {
      if (n % 3 !== 0) await expectAnimal(answer, (n % 20) + 1);
    }
    expect(service.events).toEqual([]);
  });

  /** The page of one animal, cached, and then stale. */
  async function stalePath(id: number): Promise<string> {
    const target = path(id);
    do await service.call(target);
    while (!service.answered.at(-1)?.cacheHit);
    await service.database.query(`UPDATE animal SET category_id = category_id + 1 WHERE id = ${id}`);
    service.answered.length = 0;
    looked = [];
    return target;
  }

  test("a turn reads a stale page once for many requests, and renders it once", async () => {
    for (let categoryId = 2; categoryId <= 6; categoryId++) {
      const target = await stalePath(11);
      const answers = await Promise.all(Array.from({ length: BURST }, () => service.call(target)));
      for (const answer of answers) expect(await answer.json()).toMatchObject({ id: 11, categoryId });
      // A read of the turn before may return in the middle of this one: what follows it reads once more.
      expect(Math.max(0, ...looked)).toBeLessThanOrEqual(2);
      const rendered = service.answered.filter(({ cacheHit }) => !cacheHit);
      expect(rendered.length).toBeLessThanOrEqual(looked.filter((count) => count > 0).length);
    }
  });

  test("a turn never returns a page from before a change that preceded the request", async () => {
    const target = path(15);
    let reading = true;
    const readers = Array.from({ length: 24 }, async () => {
      let seen = 0;
      while (reading) {
        const { categoryId } = (await (await service.call(target)).json()) as { categoryId: number };
        expect(categoryId).toBeGreaterThanOrEqual(seen);
        seen = categoryId;
      }
    });
    try {
      for (let categoryId = 2; categoryId <= 60; categoryId++) {
        await service.database.query(`UPDATE animal SET category_id = ${categoryId} WHERE id = 15`);
        const answers = await Promise.all(Array.from({ length: 8 }, () => service.call(target)));
        for (const answer of answers) expect(await answer.json()).toMatchObject({ id: 15, categoryId });
      }
    } finally {
      reading = false;
    }
    await Promise.all(readers);
  });

  test("a turn in which a shared read of a page fails refuses only its requests, and the next turn reads again", async () => {
    const target = await stalePath(12);
    faults.set(12n, () => {
      throw new StoreFailure("store_unavailable", "for the test");
    });
    const answers = await Promise.all(
      Array.from({ length: BURST }, (_, n) => service.call(n % 2 === 0 ? target : path(13))),
    );
    faults.clear();
    for (const [n, answer] of answers.entries()) {
      if (n % 2 === 0) expect(await answer.json()).toMatchObject({ code: "store_unavailable", status: 503 });
      else await expectAnimal(answer, 13);
    }
    expect(Math.max(0, ...looked)).toBeGreaterThan(0);
    const recovered = await Promise.all(Array.from({ length: BURST }, () => service.call(target)));
    for (const answer of recovered) expect(await answer.json()).toMatchObject({ id: 12, categoryId: 2 });
    service.events.length = 0;
  });

  test("a turn with a key that was revoked refuses that key's requests for a page that others get", async () => {
    const { id, key } = await service.issueKey();
    const headers = { authorization: `Bearer ${key}` };
    const target = await stalePath(14);
    expect((await service.call(target, { headers })).status).toBe(200);
    await service.database.query("UPDATE animal SET category_id = 5 WHERE id = 14");
    await service.store.revokeKey(id, Date.now());
    const answers = await Promise.all(
      Array.from({ length: BURST }, (_, n) => service.call(target, n % 2 === 0 ? { headers } : {})),
    );
    for (const [n, answer] of answers.entries()) {
      const expected = n % 2 === 0 ? { code: "unauthorized", status: 401 } : { id: 14, categoryId: 5 };
      expect(await answer.json()).toMatchObject(expected);
    }
  });

  test("a turn with a key that was revoked refuses that key's requests, and no others", async () => {
    const { id, key } = await service.issueKey();
    const headers = { authorization: `Bearer ${key}` };
    await expectAnimal(await service.call(path(1), { headers }), 1);
    const askWithBoth = (n: number) => service.call(path(7), n % 2 === 0 ? { headers } : {});
    for (const answer of await burst(askWithBoth)) await expectAnimal(answer, 7);
    await service.store.revokeKey(id, Date.now());
    for (const [n, answer] of (await burst(askWithBoth)).entries()) {
      if (n % 2 === 0) expect(await answer.json()).toMatchObject({ code: "unauthorized", status: 401 });
      else await expectAnimal(answer, 7);
    }
  });

  test("a turn reads for a bounded time, and leaves the rest to the next turn", async () => {
    looked = [];
    hold = () => Bun.sleepSync(2);
    const answers = await Promise.all(Array.from({ length: BURST }, () => service.call(path(9))));
    hold = () => {};
    for (const answer of answers) await expectAnimal(answer, 9);
    // The bound is 5 ms, which three of these reads pass.
    expect(Math.max(0, ...looked)).toBeLessThanOrEqual(3);
  });

  test("a turn in which a defect fails a request before its read answers that request once", async () => {
    let runs = 0;
    const run = () => {
      runs++;
      throw new TypeError("for the test");
    };
    const operations = operationsOffered("stable").map((operation) =>
      operation.id === "getPet" ? { ...operation, run } : operation,
    );
    await using broken = await startService({ operations });
    expect((await broken.call("/v1/pets")).status).toBe(200);
    expect((await broken.call("/v1/pets/1")).status).toBe(500);
    expect((await broken.call("/v1/pets?limit=1")).status).toBe(200);
    expect(runs).toBe(1);
    expect(broken.events.map(({ event }) => event)).toEqual(["request_failed"]);
    expect(broken.answered.map(({ status }) => status)).toEqual([200, 500, 200]);
  });
});
