import { expect, test } from "bun:test";
import type { NewAnimal } from "../../src/domain/animal.ts";
import { SCOPES } from "../../src/domain/api-key.ts";
import { digestOf, type Idempotency } from "../../src/domain/idempotency.ts";
import type { Store } from "../../src/domain/store.ts";
import type { Observation } from "../../src/observations/observation.ts";
import { scheduleCleanup } from "../../src/service/cleanup.ts";
import { newKey } from "../../src/service/new-key.ts";
import type { TestDatabase } from "../support/database.ts";
import { onEveryEngine } from "../support/engines.ts";
import { temporaryFolder } from "../support/folder.ts";
import { serve } from "../support/program.ts";
import { sendRaw } from "../support/send-raw.ts";
import type { Service } from "../support/service.ts";

const REX = '{"name":"Rex","categoryId":12}';
const HOUR_MS = 60 * 60 * 1000;
const DAY_MS = 24 * HOUR_MS;

type Addressed = Pick<Service, "address" | "key">;

/** Posts an animal with an `Idempotency-Key`, and gives what must not differ from answer to answer. */
async function create(service: Addressed, name: string, body = REX) {
  const answer = await fetch(`${service.address}/v1/pets`, {
    method: "POST",
    headers: {
      authorization: `Bearer ${service.key}`,
      "content-type": "application/json",
      "idempotency-key": name,
    },
    body,
  });
  const { status, headers } = answer;
  return {
    status,
    location: headers.get("location"),
    type: headers.get("content-type"),
    body: await answer.text(),
  };
}

async function animalsOf({ address, key }: Addressed): Promise<unknown[]> {
  const answer = await fetch(`${address}/v1/pets?limit=100`, { headers: { authorization: `Bearer ${key}` } });
  return (await answer.json()) as unknown[];
}

/** How many retries a database keeps. */
async function kept(database: TestDatabase): Promise<number> {
  const [row] = await database.query<{ n: number | string }>("SELECT count(*) AS n FROM idempotency_key");
  return Number(row?.n);
}

const KEY_REUSED = { status: 422, code: "idempotency_key_reused" };

function expectRefusal({ status, body }: { status: number; body: string }, refusal: object): void {
  expect({ ...JSON.parse(body), message: "" }).toEqual({ message: "", status, ...refusal });
}

/** Adds animals straight to the store, all at once, each with a key that begins so. */
async function fill(store: Store, prefix: string, count: number): Promise<void> {
  const animal: NewAnimal = { name: "Rex", categoryId: 12n, status: "available" };
  const idempotencyOf = (n: number): Idempotency => ({ line: 1, key: prefix + n, digest: digestOf(animal) });
  await Promise.all(Array.from({ length: count }, (_, n) => store.addAnimal(animal, idempotencyOf(n))));
}

/** Creates of one batch: they are asked for in one turn of the event loop. Tells each id, or the refusal. */
async function batch(store: Store, creates: readonly [NewAnimal, Idempotency?][]): Promise<unknown[]> {
  const outcomes = await Promise.allSettled(creates.map((create) => store.addAnimal(...create)));
  return outcomes.map((outcome) => {
    if (outcome.status === "rejected") return String(outcome.reason);
    if (typeof outcome.value === "string") return outcome.value;
    return "replayed" in outcome.value ? `${outcome.value.replayed.id} again` : outcome.value.id;
  });
}

const good = (name: string): NewAnimal => ({ name, categoryId: 1n, status: "available" });
/** The domain lets none through; the table's own check is there for the day when it does. */
const BAD = good("");
const retryFor = (animal: NewAnimal, key: string, line = 1): Idempotency => ({
  line,
  key,
  digest: digestOf(animal),
});

onEveryEngine(({ createDatabase, startService }) => {
  test("the same key with the same content gets the first response again, and adds nothing", async () => {
    await using service = await startService();
    const body = '{"name":"Zoë \\"🐕\\"","categoryId":-9223372036854775808,"status":"sold"}';
    const first = await create(service, "order 1", body);
    expect(first).toEqual({
      status: 201,
      location: "/v1/pets/1",
      type: "application/json",
      body: `{"id":1,${body.slice(1)}`,
    });
    expect((await create(service, "order 2")).status).toBe(201);

    for (let time = 0; time < 3; time++) expect(await create(service, "order 1", body)).toEqual(first);
    expect(await animalsOf(service)).toHaveLength(2);
  });

  test("a replay carries `Idempotent-Replayed`, which pages of other origins may read, and otherwise equals the first response", async () => {
    await using service = await startService();
    const send = async (key?: string) => {
      const headers = { origin: "https://shop.example", ...(key && { "idempotency-key": key }) };
      const answer = await service.create(REX, headers);
      const { "x-request-id": _, date, ...others } = Object.fromEntries(answer.headers);
      return { status: answer.status, body: await answer.text(), headers: others };
    };
    const first = await send("order 1");
    expect(first.headers["idempotent-replayed"]).toBeUndefined();
    expect(first.headers["access-control-expose-headers"]).toContain("Idempotent-Replayed");
    expect((await send()).headers["idempotent-replayed"]).toBeUndefined();
    const replay = { ...first, headers: { ...first.headers, "idempotent-replayed": "true" } };
    for (let time = 0; time < 3; time++) expect(await send("order 1")).toEqual(replay);
    const fresh = await send();
    expect(fresh.headers).toEqual({ ...first.headers, location: "/v1/pets/3" });

    const atOnce = await Promise.all(Array.from({ length: 20 }, () => send("at once")));
    expect(atOnce.filter(({ headers }) => headers["idempotent-replayed"] === undefined)).toHaveLength(1);
    const refused = await service.create('{"name":"Mia","categoryId":7}', { "idempotency-key": "order 1" });
    expect([refused.status, refused.headers.get("idempotent-replayed")]).toEqual([422, null]);
  });

  test("two Idempotency-Key fields are refused, and so is a key that could be two fields", async () => {
    await using service = await startService();
    const post = (...fields: string[]) => {
      const head = [
        "POST /v1/pets HTTP/1.1",
        "Host: shop",
        `Authorization: Bearer ${service.key}`,
        "Content-Type: application/json",
        `Content-Length: ${REX.length}`,
        ...fields.map((field) => `Idempotency-Key:${field}`),
      ];
      return sendRaw(service.address, `${head.join("\r\n")}\r\n\r\n${REX}`);
    };
    for (const fields of [
      [" a", " b"],
      [" a", " a"],
      [" a", ""],
      ["", " a"],
      ["", ""],
      [" a, b"],
      [" a", " b", " c"],
    ]) {
      const text = await post(...fields);
      expect([fields, text.slice(0, 12)]).toEqual([fields, "HTTP/1.1 400"]);
      expect(text).toContain('"code":"invalid_header"');
      expect(text).toContain("Idempotency-Key");
    }
    expect(await animalsOf(service)).toEqual([]);
    expect(await post(" a,b")).toStartWith("HTTP/1.1 201");
  });

  test("an API key and its successors share their Idempotency-Keys; other API keys have their own", async () => {
    await using service = await startService();
    const { address, store } = service;
    const first = await create(service, "order 1");
    let last = { id: 1, key: service.key };
    for (let rotation = 0; rotation < 2; rotation++) {
      const { key, stored } = newKey("production", {
        name: "successor",
        scopes: SCOPES,
        createdAt: Date.now(),
        expiresAt: null,
      });
      const added = await store.replaceKey(last.id, stored, Date.now() + HOUR_MS);
      last = { id: added?.id ?? 0, key };
      expect(await create({ address, key }, "order 1")).toEqual(first);
      expectRefusal(await create({ address, key }, "order 1", '{"name":"Mia","categoryId":12}'), KEY_REUSED);
    }
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, n) =>
        create(n % 2 === 0 ? service : { address, key: last.key }, "both"),
      ),
    );
    expect(new Set(answers.map(({ location }) => location))).toEqual(new Set(["/v1/pets/2"]));
    const other = await service.issueKey();
    expect((await create({ address, key: other.key }, "order 1")).location).toBe("/v1/pets/3");
  });

  test("without a key each create adds an animal", async () => {
    await using service = await startService();
    const answers = await Promise.all(Array.from({ length: 3 }, () => service.create(REX)));
    expect(answers.map(({ headers }) => headers.get("location")).sort()).toEqual([
      "/v1/pets/1",
      "/v1/pets/2",
      "/v1/pets/3",
    ]);
  });

  test("equal requests at once get one response, and add one animal", async () => {
    await using service = await startService();
    const answers = await Promise.all(Array.from({ length: 50 }, () => create(service, "at once")));
    expect(answers[0]?.status).toBe(201);
    expect(answers).toEqual(Array.from(answers, () => answers[0] as (typeof answers)[0]));
    expect(await animalsOf(service)).toHaveLength(1);
  });

  test("different creates at once each add an animal, with an Idempotency-Key or without", async () => {
    await using service = await startService();
    const answers = await Promise.all(
      Array.from({ length: 60 }, async (_, n) => {
        const body = `{"name":"Rex","categoryId":${n}}`;
        return n % 3 === 0
          ? (await service.create(body)).json()
          : JSON.parse((await create(service, `${-n}`, body)).body);
      }),
    );
    expect(answers.map(({ categoryId }) => categoryId)).toEqual(Array.from(answers, (_, n) => n));
    expect(answers.sort((one, other) => one.id - other.id)).toEqual(await animalsOf(service));
  });

  test("of requests with one key and different content at once, one succeeds and the others are refused", async () => {
    await using service = await startService();
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, n) => create(service, "at once", `{"name":"Rex","categoryId":${n}}`)),
    );
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(1);
    for (const answer of answers.filter(({ status }) => status !== 201)) expectRefusal(answer, KEY_REUSED);
    expect(await animalsOf(service)).toHaveLength(1);
  });

  test("two processes on one database give the same response, even after both were killed", async () => {
    using folder = temporaryFolder();
    await using database = await createDatabase();
    const options = { cwd: folder.path, env: { DATABASE_URL: database.url } };
    let first: Awaited<ReturnType<typeof create>> | undefined;
    {
      await using one = await serve(options);
      await using other = await serve(options);
      const answers = await Promise.all(
        Array.from({ length: 40 }, (_, n) => create(n % 2 === 0 ? one : other, "k")),
      );
      first = answers[0];
      expect(first?.status).toBe(201);
      expect(new Set(answers.map((answer) => JSON.stringify(answer))).size).toBe(1);
      for (const service of [one, other]) {
        service.kill("SIGKILL");
        await service.exited;
      }
    }
    await using service = await serve(options);
    expect(await create(service, "k")).toEqual(first as NonNullable<typeof first>);
    expect(await animalsOf(service)).toHaveLength(1);
  });

  test("the same key with other content is refused, whichever member differs", async () => {
    await using service = await startService();
    const first = await create(service, "k");
    const others = [
      '{"name":"rex","categoryId":12}',
      '{"name":"Rex ","categoryId":12}',
      '{"name":"Rex","categoryId":-12}',
      '{"name":"Rex","categoryId":12,"status":"pending"}',
    ];
    for (const other of others) expectRefusal(await create(service, "k", other), KEY_REUSED);

    expect(await create(service, "k")).toEqual(first);
    expect(await animalsOf(service)).toHaveLength(1);
  });

  test("content is compared by meaning, not by spelling", async () => {
    await using service = await startService();
    const first = await create(service, "k");
    const alike = [
      '{"categoryId":12,"name":"Rex"}',
      ' {\n\t"name" : "Rex" , "categoryId" : 12 }\r\n',
      '{"name":"Rex","categoryId":12.0}',
      '{"name":"Rex","categoryId":1.2e1}',
      '{"name":"Rex","categoryId":12,"status":"available"}',
      '{"n\\u0061me":"\\u0052ex","categoryId":12}',
      '{"name":"Rex","categoryId":12,"id":7,"colour":"brown"}',
    ];
    for (const body of alike) expect([body, await create(service, "k", body)]).toEqual([body, first]);
    expect(await animalsOf(service)).toHaveLength(1);
  });

  test("each API key has its own Idempotency-Keys", async () => {
    await using service = await startService();
    const { key } = await service.issueKey();
    const mine = await create(service, "k");
    const theirs = await create({ ...service, key }, "k", '{"name":"Mia","categoryId":7}');
    expect([mine.location, theirs.location]).toEqual(["/v1/pets/1", "/v1/pets/2"]);
    expect(await create(service, "k")).toEqual(mine);
  });

  test("keys that differ by case or by inner spaces are different keys", async () => {
    await using service = await startService();
    const names = ["key", "Key", "key 1", "key  1", '"key"', "key,key"];
    for (const name of names) await create(service, name);
    expect(await animalsOf(service)).toHaveLength(names.length);
  });

  test("a refused request does not use up its Idempotency-Key", async () => {
    await using service = await startService();
    const reader = await service.issueKey(["pets:read"]);
    const post = (init: { type?: string; key?: string; body: string }) =>
      service.create(init.body, {
        "content-type": init.type ?? "application/json",
        authorization: `Bearer ${init.key ?? service.key}`,
        "idempotency-key": "k",
      });
    const refused: [number, Parameters<typeof post>[0]][] = [
      [400, { body: '{"name":"Rex"}' }],
      [400, { body: '{"name":"Rex","categoryId":12' }],
      [413, { body: `{"name":"Rex","categoryId":12,"x":"${"x".repeat(65536)}"}` }],
      [415, { body: REX, type: "text/plain" }],
      [403, { body: REX, key: reader.key }],
      [401, { body: REX, key: "as_live_nothing" }],
    ];
    for (const [status, init] of refused) expect((await post(init)).status).toBe(status);

    expect((await create(service, "k", '{"name":"Mia","categoryId":7}')).status).toBe(201);
    // Nor does a refusal for other content take the key over.
    expect((await create(service, "k")).status).toBe(422);
    expect((await create(service, "k", '{"name":"Mia","categoryId":7}')).status).toBe(201);
    expect(await animalsOf(service)).toHaveLength(1);
  });

  test("a key is 1 to 255 printable ASCII characters", async () => {
    await using service = await startService();
    for (const name of ["", "x".repeat(256), "naïve", "a\tb", "ключ"]) {
      // `Headers` takes characters for bytes: what lies beyond Latin-1 goes as UTF-8.
      const bytes = Buffer.from(name, /^[\0-\xff]*$/.test(name) ? "latin1" : "utf8").toString("latin1");
      const answer = await create(service, bytes);
      expectRefusal(answer, { status: 400, code: "invalid_header" });
      expect(answer.body).toContain("Idempotency-Key");
    }
    expect(await animalsOf(service)).toEqual([]);
    const names = ["x", "x".repeat(255), "!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~ 09AZaz"];
    for (const name of names) {
      const first = await create(service, name);
      expect(first.status).toBe(201);
      expect(await create(service, name)).toEqual(first);
    }
  });

  test("a key is remembered for 24 hours and may then be used again, swept or not", async () => {
    let now = Date.now();
    await using service = await startService({ clock: () => now });
    const first = await create(service, "k");
    now += DAY_MS - 1;
    expect(await create(service, "k")).toEqual(first);
    now += 1;
    const second = await create(service, "k", '{"name":"Mia","categoryId":7}');
    expect([second.status, second.location]).toEqual([201, "/v1/pets/2"]);
    expect(await kept(service.database)).toBe(1);

    // Its own 24 hours have begun; a repetition of the first does not shorten or extend them.
    now += DAY_MS - 1;
    expect(await create(service, "k", '{"name":"Mia","categoryId":7}')).toEqual(second);
    now += 1;
    expect((await create(service, "k", '{"name":"Mia","categoryId":7}')).location).toBe("/v1/pets/3");
  });

  test("a sweep deletes expired records, a bounded number at a time, while creates continue", async () => {
    const began = Date.now();
    let now = began;
    await using service = await startService({ clock: () => now });
    await fill(service.store, "old ", 1700);
    now = began + HOUR_MS;
    await fill(service.store, "young ", 40);
    now = began + DAY_MS - 1;
    expect(await service.store.deleteExpired()).toBe(0);

    now = began + DAY_MS;
    const parts: number[] = [];
    let swept: number;
    do {
      // A create that comes right behind a part waits for that part alone.
      const [part, plain, keyed] = await Promise.all([
        service.store.deleteExpired(),
        service.create(REX),
        create(service, `meanwhile ${parts.length}`),
      ]);
      expect([plain.status, keyed.status]).toEqual([201, 201]);
      swept = part;
      parts.push(swept);
    } while (swept > 0);

    expect(Math.max(...parts)).toBeLessThanOrEqual(500);
    expect(parts.reduce((sum, part) => sum + part)).toBe(1700);
    expect(await kept(service.database)).toBe(40 + parts.length);
    const animals = await animalsOf(service);
    await fill(service.store, "young ", 40);
    expect(await animalsOf(service)).toEqual(animals);
  });

  test("the program deletes expired records when it starts, and keeps the others", async () => {
    using folder = temporaryFolder();
    await using database = await createDatabase();
    const options = { cwd: folder.path, env: { DATABASE_URL: database.url } };
    {
      await using service = await serve(options);
      expect((await create(service, "young")).status).toBe(201);
    }
    const at = Date.now() - DAY_MS;
    const old = Array.from({ length: 1200 }, (_, n) => `(1, 'old ${n}', '${"0".repeat(64)}', 1, ${at})`);
    await database.query(
      `INSERT INTO idempotency_key (line, key, digest, animal_id, created_at) VALUES ${old}`,
    );
    await using service = await serve(options);
    while ((await kept(database)) > 1) await Bun.sleep(10);
    expect((await create(service, "young")).location).toBe("/v1/pets/1");
  });

  test("creates with a key and without share a batch, each with its own result", async () => {
    await using service = await startService();
    const rex = good("Rex");
    const mia = good("Mia");
    const outcomes = await batch(service.store, [
      [rex],
      [rex, retryFor(rex, "k")],
      [rex],
      [rex, retryFor(rex, "k")],
      [mia, retryFor(mia, "k")],
      [mia, retryFor(mia, "k", 2)],
      [mia, retryFor(mia, "m")],
    ]);
    expect(outcomes).toEqual([1n, 2n, 3n, "2 again", "key_reused", 4n, 5n]);
    expect(await animalsOf(service)).toHaveLength(5);
  });

  test("a create that the database refuses fails alone, and does not use up its key", async () => {
    await using service = await startService();
    const rex = good("Rex");
    const refused = expect.stringContaining("the store refused an animal");
    // It may leave a gap in the ids.
    const [first, bad, second] = await batch(service.store, [[rex], [BAD], [rex]]);
    expect(bad).toEqual(refused);
    expect(Number(second)).toBeGreaterThan(Number(first));
    const mixed: [NewAnimal, Idempotency?][] = [
      [rex],
      [BAD, retryFor(BAD, "k")],
      [rex, retryFor(rex, "k")],
      [BAD],
      [rex, retryFor(rex, "k")],
    ];
    const [third, badWithKey, fourth, badAgain, replay] = await batch(service.store, mixed);
    expect([badWithKey, badAgain]).toEqual([refused, refused]);
    expect(Number(third)).toBeGreaterThan(Number(second));
    expect(Number(fourth)).toBeGreaterThan(Number(third));
    expect(replay).toBe(`${fourth} again`);
    expect(await animalsOf(service)).toHaveLength(4);
  });
});

test("a sweep continues until few expired records are left, and a failed sweep is reported", async () => {
  const parts = [500, 500, 3];
  const events: Observation[] = [];
  const told = Promise.withResolvers<void>();
  const calls: number[] = [];
  const sweepOnce = async () => {
    calls.push(parts.length);
    const part = parts.shift();
    if (part === undefined) throw new Error("the disk is full");
    return part;
  };
  const emit = (event: Observation) => {
    events.push(event);
    told.resolve();
  };

  const sweeper = { deleteExpired: sweepOnce, deleteExpiredEvents: async () => 0 } as unknown as Store;
  const sweeping = scheduleCleanup(sweeper, { keepMs: DAY_MS, clock: Date.now }, emit);
  while (parts.length > 0) await Bun.sleep(10);
  // Long enough for several parts.
  await Bun.sleep(300);
  sweeping.stop();
  expect(events).toEqual([]);
  const failing = scheduleCleanup(sweeper, { keepMs: DAY_MS, clock: Date.now }, emit);
  await told.promise;
  failing.stop();
  expect(calls).toEqual([3, 2, 1, 0]);
  expect(events).toEqual([{ event: "cleanup_failed", error: new Error("the disk is full") }]);
});
