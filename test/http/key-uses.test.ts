import { expect, test } from "bun:test";
import { dayOf } from "../../src/domain/api-key.ts";
import { KeyUses } from "../../src/http/key-uses.ts";
import type { Observation } from "../../src/observations/observation.ts";
import { openStore } from "../../src/stores/open.ts";
import { Caller } from "../support/caller.ts";
import { onEveryEngine } from "../support/engines.ts";
import { temporaryFolder } from "../support/folder.ts";
import { run, serve } from "../support/program.ts";
import { revisionOf } from "../support/revision-of.ts";
import { until } from "../support/until.ts";

const DAY_MS = 24 * 60 * 60 * 1000;
const NOON = Date.parse("2026-11-23T12:00:00Z");
const PAUSES = { gatherMs: 1, retryMs: 20 };

onEveryEngine((engine) => {
  test("a key's last use is the day of its last request, of whichever kind, and is known after a stop", async () => {
    let now = NOON;
    await using service = await engine.startService({ clock: () => now });
    const { store, database } = service;
    const [reads, writes, refused, revoked] = [
      await service.issueKey(),
      await service.issueKey(),
      await service.issueKey([]),
      await service.issueKey(),
    ];
    await service.issueKey();
    const authorization = ({ key }: { key: string }) => ({ authorization: `Bearer ${key}` });
    const list = (issued: { key: string }) => service.call("/v1/pets", { headers: authorization(issued) });
    const create = () => service.create('{"name":"Rex","categoryId":1}', authorization(writes));
    await store.revokeKey(revoked.id, now);
    // The cache has the list, and the key of a create, from the day before.
    expect((await list(reads)).status).toBe(200);
    expect((await create()).status).toBe(201);
    expect((await list(refused)).status).toBe(403);
    now += DAY_MS;
    expect((await list(reads)).status).toBe(200);
    expect((await create()).status).toBe(201);
    expect((await list(revoked)).status).toBe(401);

    await service.stop(1);
    const reopened = await openStore(database.url, Date.now);
    const uses = (await reopened.listKeys()).map(({ lastUsedDay }) => lastUsedDay);
    await reopened.close();
    const today = dayOf(now);
    expect(uses).toEqual([null, today, today, today - 1, null, null]);
  });

  test("uses are recorded in the background, once a day for each key, and change no revision", async () => {
    await using service = await engine.startService();
    const { store } = service;
    const batches: ReadonlyMap<number, number>[] = [];
    const recorder = {
      async recordKeyUses(uses: ReadonlyMap<number, number>) {
        batches.push(uses);
        await store.recordKeyUses(uses);
      },
    };
    const uses = new KeyUses(recorder, () => {}, PAUSES);
    const { keys } = await revisionOf(store);
    const lastUse = async () => (await store.listKeys())[0]?.lastUsedDay;
    const useUntilRecorded = async (now: number) => {
      uses.note(1, now);
      await until(async () => (await lastUse()) === dayOf(now));
    };
    await useUntilRecorded(NOON);
    // Of two uses on one day, that of the other key alone is new.
    uses.note(1, NOON + 1);
    uses.note(2, NOON + 1);
    await until(() => batches.length > 1);
    await useUntilRecorded(NOON + DAY_MS);
    // A stop that has no time leaves out the last uses.
    uses.note(1, NOON + 2 * DAY_MS);
    await uses.stop(0);
    expect(batches).toEqual([
      new Map([[1, dayOf(NOON)]]),
      new Map([[2, dayOf(NOON)]]),
      new Map([[1, dayOf(NOON + DAY_MS)]]),
    ]);
    // An instance whose clock is behind.
    await store.recordKeyUses(new Map([[1, dayOf(NOON)]]));
    expect(await lastUse()).toBe(dayOf(NOON + DAY_MS));
    expect((await revisionOf(store)).keys).toBe(keys);
  });

  test("uses that cannot be recorded are reported once, and recorded as soon as that is possible", async () => {
    await using service = await engine.startService();
    const { store, database } = service;
    const events: Observation[] = [];
    const uses = new KeyUses(store, (event) => events.push(event), PAUSES);
    await database.query("ALTER TABLE key_use RENAME TO hidden");
    uses.note(1, NOON);
    await until(() => events.length > 0);
    // Several further attempts.
    await Bun.sleep(10 * PAUSES.retryMs);
    await database.query("ALTER TABLE hidden RENAME TO key_use");
    await until(async () => (await store.listKeys())[0]?.lastUsedDay === dayOf(NOON));
    await uses.stop(1);
    expect(events).toEqual([{ event: "key_uses_unrecorded", error: expect.anything() }]);
  });

  test("requests that several workers serve count as uses, and `keys list` shows them", async () => {
    await using database = await engine.createDatabase();
    using folder = temporaryFolder();
    const options = { cwd: folder.path, env: { DATABASE_URL: database.url, WORKERS: "2" } };
    const before = new Date().toISOString().slice(0, 10);
    {
      await using service = await serve(options);
      expect((await new Caller(service).get("/v1/pets")).status).toBe(200);
      service.kill("SIGTERM");
      expect(await service.exited).toBe(0);
    }
    const listed = JSON.parse((await run(["keys", "list", "--json"], options)).stdout);
    const today = new Date().toISOString().slice(0, 10);
    expect([before, today]).toContain(listed[0].lastUsedOn);
    expect((await run(["keys", "list"], options)).stdout).toContain(`  ${listed[0].lastUsedOn}  valid`);
  });
});
