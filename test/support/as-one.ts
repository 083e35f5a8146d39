import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import type { Caller } from "./caller.ts";
import type { Servers } from "./instances.ts";
import { keepDoing } from "./keep-doing.ts";
import { type Animal, Walker } from "./walker.ts";

/** Instances that a test writes to, and one more that only reads. */
const [WRITERS, ALL] = [4, 5];

/**
 * The promise of several processes that serve one store: no client can tell that there are several. The processes start
 * once, so each test finds the animals of earlier tests; tests that add hundreds of animals come last.
 *
 * @param start starts this many processes, or fewer with this many clients, on a new store
 */
export function behaveAsOne(start: (count: number) => Promise<Servers>): void {
  describe("several processes on one store:", () => asOne(start));
}

function asOne(start: (count: number) => Promise<Servers>): void {
  let store: Servers;
  beforeAll(async () => {
    store = await start(ALL);
  });
  afterAll(() => store[Symbol.asyncDispose]());

  const writersWith = (key?: string) => store.callers(key).slice(0, WRITERS);
  const keys = async (...args: string[]): Promise<{ readonly id: number; readonly key: string }> =>
    JSON.parse((await store.command("keys", ...args, "--json")).stdout);
  const revoke = async (id: number) => {
    expect((await store.command("keys", "revoke", `${id}`)).exitCode).toBe(0);
  };

  test("a list on any instance right after a 201 on another shows the animal", async () => {
    const callers = writersWith();
    const names = await store.caller(0).names();
    for (let count = 0; count < 60; count++) {
      // The instances write in turn, while all others have cached the page that changes.
      const writer = callers[count % WRITERS] as Caller;
      names.push(`listed ${count}`);
      expect((await writer.create(`listed ${count}`)).status).toBe(201);
      const lists = await Promise.all(callers.map((caller) => caller.names()));
      expect(lists).toEqual(callers.map(() => names));
    }
  });

  test("an operator's correction shows in the next response of every instance, whatever it has cached", async () => {
    const callers = writersWith();
    for (let count = 1; count <= 4; count++) {
      expect((await store.caller(0).create(`to correct ${count}`)).status).toBe(201);
    }
    let animals = (await (await store.caller(0).list()).json()) as (Animal & { readonly status: string })[];
    const [first, last] = [animals[0]?.id, animals.at(-1)?.id];
    const look = async (caller: Caller) => [
      await (await caller.list()).text(),
      await (await caller.list("limit=1")).text(),
      await (await caller.list("status=sold")).text(),
      (await caller.get(`/v1/pets/${first}`)).status,
      (await caller.get(`/v1/pets/${last}`)).status,
    ];
    const lists = () => [
      JSON.stringify(animals),
      JSON.stringify(animals.slice(0, 1)),
      JSON.stringify(animals.filter(({ status }) => status === "sold")),
    ];
    for (let round = 1; round <= 3; round++) {
      const status = round % 2 === 1 ? "sold" : "pending";
      // A page is cached from its second request on.
      for (let time = 0; time < 3; time++) for (const caller of callers) await look(caller);
      expect((await store.command("animals", "set", `${first}`, "--status", status)).exitCode).toBe(0);
      animals = animals.map((animal) => (animal.id === first ? { ...animal, status } : animal));
      for (const caller of callers) expect(await look(caller)).toEqual([...lists(), 200, 200]);
    }
    expect((await store.command("animals", "remove", `${first}`, `${last}`)).exitCode).toBe(0);
    animals = animals.slice(1, -1);
    for (const caller of callers) expect(await look(caller)).toEqual([...lists(), 404, 404]);
  });

  test("an animal is found by its id on any instance right after a 201 on another", async () => {
    const latest = (await store.caller(0).create("found")).headers.get("location");
    const id = Number(latest?.split("/").at(-1));
    for (let count = 1; count <= 40; count++) {
      const [writer, reader] = [store.caller(count % 2), store.caller((count + 1) % 2)];
      const path = `/v1/pets/${id + count}`;
      expect((await reader.get(path)).status).toBe(404);
      expect((await writer.create(`found ${count}`)).headers.get("location")).toBe(path);
      expect((await reader.get(path)).status).toBe(200);
    }
  });

  test("a create that is the first request after its key was revoked adds nothing", async () => {
    const before = await store.caller(0).names();
    for (let round = 0; round < 3; round++) {
      const { id, key } = await keys("create", "--name", "another");
      const callers = writersWith(key);
      // Each instance has seen the key, and the page, more than once.
      for (let time = 0; time < 4; time++) {
        for (const caller of callers) expect((await caller.create(`before ${round}`)).status).toBe(201);
      }
      await revoke(id);
      const answers = await Promise.all(callers.map((caller) => caller.create(`after ${round}`, null)));
      expect(answers.map(({ status }) => status)).toEqual([401, 401, 401, 401]);
    }
    expect(await store.caller(0).names()).toEqual([...before, "before 0", "before 1", "before 2"]);
  });

  test("a rotated key and its successor both work on every instance until the grace period ends", async () => {
    const old = await keys("create", "--name", "second");
    const statusesOf = ({ key }: { readonly key: string }) =>
      Promise.all(writersWith(key).map(async (caller) => (await caller.list()).status));
    expect(await statusesOf(old)).toEqual([200, 200, 200, 200]);
    const next = await keys("rotate", `${old.id}`, "--grace", "1h");
    expect(await statusesOf(next)).toEqual([200, 200, 200, 200]);
    expect(await statusesOf(old)).toEqual([200, 200, 200, 200]);
    const last = await keys("rotate", `${next.id}`, "--grace", "0s");
    expect(await statusesOf(last)).toEqual([200, 200, 200, 200]);
    expect(await statusesOf(next)).toEqual([401, 401, 401, 401]);
  });

  test("the same Idempotency-Key sent to four instances at once adds one animal and gets one response", async () => {
    const callers = writersWith();
    const before = await store.caller(0).names();
    // Other clients create meanwhile, so that the same key arrives in batches of different sizes.
    using creating = keepDoing(4, async (client, time) => {
      expect((await (callers[client] as Caller).create(`other ${client} ${time}`)).status).toBe(201);
    });
    for (let round = 0; round < 20; round++) {
      const twice = [...callers, ...callers];
      const answers = await Promise.all(twice.map((caller) => caller.create(`once ${round}`)));
      expect(answers.map(({ status }) => status)).toEqual(twice.map(() => 201));
      expect(new Set(await Promise.all(answers.map((answer) => answer.text()))).size).toBe(1);
    }
    await creating.stop();
    const names = (await store.caller(0).names()).slice(before.length);
    expect(new Set(names).size).toBe(names.length);
    expect(names.filter((name) => name.startsWith("once "))).toEqual(
      Array.from({ length: 20 }, (_, round) => `once ${round}`),
    );
  });

  test("of creates with one Idempotency-Key and different content on four instances at once, one succeeds", async () => {
    const before = await store.caller(0).names();
    for (let round = 0; round < 20; round++) {
      const answers = await Promise.all(
        writersWith().map((caller, at) => caller.create(`${round} ${at}`, `key ${round}`)),
      );
      expect(answers.map(({ status }) => status).toSorted()).toEqual([201, 422, 422, 422]);
    }
    expect(await store.caller(0).names()).toHaveLength(before.length + 20);
  });

  test("once a key is revoked no instance accepts it, whatever the instance is busy with", async () => {
    const { id, key } = await keys("create", "--name", "second");
    const callers = writersWith(key);
    let revoked = false;
    const statuses = { before: new Set<number>(), after: new Set<number>() };
    using asking = keepDoing(16, async (client, time) => {
      const seen = revoked ? statuses.after : statuses.before;
      const caller = callers[client % WRITERS] as Caller;
      const answer = await (time % 2 === 0 ? caller.list() : caller.create(`${client}.${time}`));
      seen.add(answer.status);
    });
    await asking.until(() => statuses.before.has(200) && statuses.before.has(201));
    await revoke(id);
    revoked = true;
    const ask = (caller: Caller) => [
      caller.create("too late"),
      caller.list(),
      caller.create("too late", null),
    ];
    const answers = await Promise.all(callers.flatMap(ask));
    expect(answers.map(({ status }) => status)).toEqual(Array(12).fill(401));
    await Bun.sleep(50);
    await asking.stop();
    expect([...statuses.after]).toEqual([401]);
  });

  test("while four instances create, a fifth sees each animal once, in order, and misses none", async () => {
    const reader = store.caller(ALL - 1);
    const walker = new Walker(reader, 50);
    await walker.goOn();
    const namesBefore = walker.seen.length;
    const created: string[] = [];
    using creating = keepDoing(24, async (client, time) => {
      const name = `new ${client}.${time}`;
      // Half of them have an Idempotency-Key, and so are stored by another statement.
      const key = client % 2 === 0 ? name : null;
      expect((await store.caller(client % WRITERS).create(name, key)).status).toBe(201);
      created.push(name);
    });
    const isEnough = () => created.length >= 2000;
    const walking = async () => {
      while (!isEnough()) {
        // A walk finds every animal that was acknowledged before it began.
        const before = [...created];
        await walker.goOn();
        const names = new Set(walker.seen.map(({ name }) => name));
        expect(before.filter((name) => !names.has(name))).toEqual([]);
      }
    };
    // A walk that is no faster than the clients reaches the end of the list only once they have stopped.
    await Promise.all([creating.until(isEnough).then(creating.stop), walking()]);
    await walker.goOn();
    const seen = walker.seen.map(({ name }) => name);
    expect(seen.slice(namesBefore).toSorted()).toEqual(created.toSorted());
    for (const caller of store.callers()) expect(await caller.names()).toEqual(seen);
  });
}
