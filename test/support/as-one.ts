import { expect, test } from "bun:test";
import type { Caller } from "./caller.ts";
import type { Servers } from "./instances.ts";
import { keepDoing } from "./keep-doing.ts";
import { Walker } from "./walker.ts";

/**
 * What many processes that serve one store promise: no client can tell.
 *
 * @param start starts so many, or fewer for so many clients
 */
export function behaveAsOne(start: (count: number) => Promise<Servers>): void {
  test("a list on any instance right after a 201 on another shows the animal", async () => {
    await using store = await start(4);
    const callers = store.callers();
    const names: string[] = [];
    for (let count = 0; count < 60; count++) {
      // By turns each instance writes, and all others have kept the page that it changes.
      const writer = callers[count % 4] as Caller;
      names.push(`${count}`);
      expect((await writer.create(`${count}`)).status).toBe(201);
      const lists = await Promise.all(callers.map((caller) => caller.names()));
      expect(lists).toEqual(callers.map(() => names));
    }
  });

  test("an animal is found by its id on any instance right after a 201 on another", async () => {
    await using store = await start(2);
    for (let count = 0; count < 40; count++) {
      const [writer, reader] = [store.caller(count % 2), store.caller((count + 1) % 2)];
      const path = `/v1/pets/${count + 1}`;
      expect((await reader.get(path)).status).toBe(404);
      expect((await writer.create(`${count}`)).headers.get("location")).toBe(path);
      expect((await reader.get(path)).status).toBe(200);
    }
  });

  test("what an operator corrects shows in the next answer of every instance, whatever it has kept", async () => {
    await using store = await start(4);
    const [writer, ...others] = store.callers() as [Caller, ...Caller[]];
    const callers = [writer, ...others];
    for (let count = 1; count <= 4; count++) expect((await writer.create(`${count}`)).status).toBe(201);
    const look = async (caller: Caller) => [
      await (await caller.list()).text(),
      await (await caller.list("limit=1")).text(),
      await (await caller.list("status=sold")).text(),
      (await caller.get("/v1/pets/1")).status,
      (await caller.get("/v1/pets/4")).status,
    ];
    const shown = (id: number, status: string) =>
      `{"id":${id},"name":"${id}","categoryId":1,"status":"${status}"}`;
    for (let round = 1; round <= 3; round++) {
      const status = round % 2 === 1 ? "sold" : "pending";
      // Pages are kept from the second time on.
      for (let time = 0; time < 3; time++) for (const caller of callers) await look(caller);
      expect((await store.command("animals", "set", "1", "--status", status)).exitCode).toBe(0);
      const animals = [shown(1, status), ...[2, 3, 4].map((id) => shown(id, "available"))];
      const sold = status === "sold" ? [animals[0]] : [];
      const expected = [`[${animals}]`, `[${animals[0]}]`, `[${sold}]`, 200, 200];
      for (const caller of callers) expect(await look(caller)).toEqual(expected);
    }
    expect((await store.command("animals", "remove", "1", "4")).exitCode).toBe(0);
    const left = [shown(2, "available"), shown(3, "available")];
    for (const caller of callers) {
      expect(await look(caller)).toEqual([`[${left}]`, `[${left[0]}]`, "[]", 404, 404]);
    }
  });

  test("from the revocation of a key on, no instance answers it, whatever it is busy with", async () => {
    await using store = await start(4);
    const made = await store.command("keys", "create", "--name", "second");
    const callers = store.callers(made.stdout.trim());
    let revoked = false;
    const statuses = { before: new Set<number>(), after: new Set<number>() };
    using asking = keepDoing(16, async (client, time) => {
      const seen = revoked ? statuses.after : statuses.before;
      const caller = callers[client % 4] as Caller;
      const answer = await (time % 2 === 0 ? caller.list() : caller.create(`${client}.${time}`));
      seen.add(answer.status);
    });
    await asking.until(() => statuses.before.has(200) && statuses.before.has(201));
    expect((await store.command("keys", "revoke", "2")).exitCode).toBe(0);
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

  test("a create that is the first request after its key was revoked adds nothing", async () => {
    await using store = await start(4);
    for (let round = 0; round < 3; round++) {
      const made = await store.command("keys", "create", "--name", "another");
      const callers = store.callers(made.stdout.trim());
      // Each has seen the key, and the page, more than once.
      for (let time = 0; time < 4; time++) {
        for (const caller of callers) expect((await caller.create(`before ${round}`)).status).toBe(201);
      }
      expect((await store.command("keys", "revoke", `${round + 2}`)).exitCode).toBe(0);
      const answers = await Promise.all(callers.map((caller) => caller.create(`after ${round}`, null)));
      expect(answers.map(({ status }) => status)).toEqual([401, 401, 401, 401]);
    }
    expect(await store.caller(0).names()).toEqual(["before 0", "before 1", "before 2"]);
  });

  test("a key that is rotated works beside its successor, on every instance, until its grace is over", async () => {
    await using store = await start(4);
    const made = await store.command("keys", "create", "--name", "second");
    const statusesOf = (key: string) =>
      Promise.all(store.callers(key).map(async (caller) => (await caller.list()).status));
    const old = made.stdout.trim();
    expect(await statusesOf(old)).toEqual([200, 200, 200, 200]);
    const next = (await store.command("keys", "rotate", "2", "--grace", "1h")).stdout.trim();
    expect(await statusesOf(next)).toEqual([200, 200, 200, 200]);
    expect(await statusesOf(old)).toEqual([200, 200, 200, 200]);
    const last = (await store.command("keys", "rotate", "3", "--grace", "0s")).stdout.trim();
    expect(await statusesOf(last)).toEqual([200, 200, 200, 200]);
    expect(await statusesOf(next)).toEqual([401, 401, 401, 401]);
  });

  test("the same Idempotency-Key sent to four instances at once makes one animal and gives one answer", async () => {
    await using store = await start(4);
    const callers = store.callers();
    // Others create meanwhile, so that the same key comes in batches of different sizes.
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
    const names = await store.caller(0).names();
    expect(new Set(names).size).toBe(names.length);
    expect(names.filter((name) => name.startsWith("once "))).toEqual(
      Array.from({ length: 20 }, (_, round) => `once ${round}`),
    );
  });

  test("the same Idempotency-Key with different content to four instances at once: one is answered", async () => {
    await using store = await start(4);
    for (let round = 0; round < 20; round++) {
      const answers = await Promise.all(
        store.callers().map((caller, at) => caller.create(`${round} ${at}`, `key ${round}`)),
      );
      expect(answers.map(({ status }) => status).toSorted()).toEqual([201, 422, 422, 422]);
    }
    expect(await store.caller(0).names()).toHaveLength(20);
  });

  test("while four instances create, a fifth sees each animal once, in order, and misses none", async () => {
    await using store = await start(5);
    const created: string[] = [];
    using creating = keepDoing(24, async (client, time) => {
      const name = `${client}.${time}`;
      // Half of them may be repeated, and are stored by another statement.
      const key = client % 2 === 0 ? name : null;
      expect((await store.caller(client % 4).create(name, key)).status).toBe(201);
      created.push(name);
    });
    const reader = store.caller(4);
    const walker = new Walker(reader, 20);
    while (created.length < 2000) {
      // What has been acknowledged before a walk is found by it.
      const before = [...created];
      await walker.goOn();
      const names = new Set(walker.seen.map(({ name }) => name));
      expect(before.filter((name) => !names.has(name))).toEqual([]);
    }
    await creating.stop();
    await walker.goOn();
    const seen = walker.seen.map(({ name }) => name);
    expect(seen.toSorted()).toEqual(created.toSorted());
    for (const caller of store.callers()) expect(await caller.names()).toEqual(seen);
  });
}
