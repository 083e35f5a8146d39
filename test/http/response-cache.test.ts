import { expect, test } from "bun:test";
import { join } from "node:path";
import { andThen, type MaybePromise } from "../../src/domain/maybe-promise.ts";
import { onEveryEngine } from "../support/engines.ts";
import { temporaryFolder } from "../support/folder.ts";
import { run } from "../support/program.ts";
import type { Service } from "../support/service.ts";

interface Seen {
  readonly status: number;
  /** Names of animals, or of one. */
  readonly names: string;
  readonly next: boolean;
  readonly cacheHit: boolean | undefined;
}

/** Sends one request, and says whether its response came from the cache. */
async function ask(service: Service, path: string): Promise<Seen> {
  const answer = await service.call(path);
  const body = (await answer.json()) as { name: string }[] | { name: string };
  const names = [body].flat().map(({ name }) => name);
  const next = answer.headers.get("link")?.includes('rel="next"') ?? false;
  return { status: answer.status, names: names.join(" "), next, cacheHit: service.answered.at(-1)?.cacheHit };
}

/** Repeats a request until its response comes from the cache. */
async function askUntilCached(service: Service, path: string): Promise<Seen> {
  for (let time = 0; time < 5; time++) {
    const seen = await ask(service, path);
    if (seen.cacheHit) return seen;
  }
  throw new Error(`${path} is not cached`);
}

async function add(service: Service, name: string, status = "available"): Promise<void> {
  const answer = await service.create(JSON.stringify({ name, categoryId: 1, status }));
  expect(answer.status).toBe(201);
}

/** The path of the page after this one. */
async function nextOf(service: Service, path: string): Promise<string> {
  const link = (await service.call(path)).headers.get("link");
  return /<([^>]+)>; rel="next"/.exec(link ?? "")?.[1] ?? "none";
}

onEveryEngine(({ startService }) => {
  /** With animals 1, 2 and 3, and behind a gap 11, 12 and 13; the second of each is sold. */
  async function startWithSix(): Promise<Service> {
    const service = await startService();
    for (const name of ["one", "two", "three"]) {
      await add(service, name, name === "two" ? "sold" : "available");
    }
    await service.database.setLastId(10n);
    for (const name of ["eleven", "twelve", "thirteen"]) {
      await add(service, name, name === "twelve" ? "sold" : "available");
    }
    return service;
  }

  test("a page that may show more than its revision is sent and not kept, and its stale one asks for no revision first", async () => {
    await using service = await startWithSix();
    const page = "/v1/pets";
    await askUntilCached(service, page);
    const { read } = service.store;
    let reads = 0;
    await add(service, "fourteen");
    service.store.read = <Reply>(work: () => MaybePromise<Reply>, sharedAs?: string) => {
      reads++;
      return andThen(read(work, sharedAs), (dated) => ({ ...dated, mayBeLater: true }));
    };
    const seen: unknown[] = [];
    for (let time = 0; time < 4; time++) {
      reads = 0;
      const { cacheHit, names } = await ask(service, page);
      seen.push([cacheHit, names.endsWith("fourteen"), time === 0 || reads]);
    }
    expect(seen).toEqual([[false, true, true], ...Array(3).fill([false, true, 1])]);
    service.store.read = read;
    expect((await askUntilCached(service, page)).names).toEndWith("fourteen");
  });

  test("an animal, and a page that others follow, stay cached while animals are created", async () => {
    await using service = await startWithSix();
    const second = await nextOf(service, "/v1/pets?limit=2");
    const paths = ["/v1/pets?limit=2", "/v1/pets?limit=1&status=sold", "/v1/pets/2", second];
    const before: Seen[] = [];
    for (const path of paths) before.push(await askUntilCached(service, path));
    for (let time = 0; time < 3; time++) {
      await add(service, "new", "sold");
      for (const [at, path] of paths.entries()) expect(await ask(service, path)).toEqual(before[at] as Seen);
    }
  });

  test("a page at the end of its list shows each animal that is created, and its next link, at once", async () => {
    await using service = await startService();
    const names: string[] = [];
    for (let count = 1; count <= 5; count++) {
      await add(service, `${count}`, count % 2 === 0 ? "sold" : "available");
      names.push(`${count}`);
      const sold = names.filter((name) => Number(name) % 2 === 0);
      for (let time = 0; time < 3; time++) {
        expect(await ask(service, "/v1/pets?limit=3")).toMatchObject({
          names: names.slice(0, 3).join(" "),
          next: count > 3,
        });
        expect(await ask(service, "/v1/pets?limit=1&status=sold")).toMatchObject({
          names: sold.slice(0, 1).join(" "),
          next: sold.length > 1,
        });
      }
    }
  });

  const changes: readonly [string, string, Record<string, Partial<Seen>>][] = [
    [
      "a new name",
      "UPDATE animal SET name = 'uno' WHERE id = 1",
      { "/v1/pets/1": { names: "uno" }, "/v1/pets?limit=2": { names: "uno two" } },
    ],
    [
      "another status",
      "UPDATE animal SET status = 'available' WHERE id = 12",
      {
        "/v1/pets?limit=1&status=sold": { names: "two", next: false },
        "/v1/pets?limit=4&status=available": { names: "one three eleven twelve", next: true },
      },
    ],
    [
      "another id",
      "UPDATE animal SET id = 7 WHERE id = 1",
      { "/v1/pets/1": { status: 404 }, "/v1/pets?limit=2": { names: "two three" } },
    ],
    [
      "that one goes",
      "DELETE FROM animal WHERE id = 2",
      { "/v1/pets/2": { status: 404 }, "/v1/pets?limit=2": { names: "one three", next: true } },
    ],
    [
      "that all behind a page go",
      "DELETE FROM animal WHERE id > 2",
      {
        "/v1/pets?limit=2": { names: "one two", next: false },
        "/v1/pets?limit=1&status=sold": { names: "two", next: false },
      },
    ],
    [
      "that all go",
      "DELETE FROM animal",
      { "/v1/pets?limit=2": { names: "" }, "/v1/pets/1": { status: 404 } },
    ],
    [
      "an animal that comes between others",
      "INSERT INTO animal (id, name, category_id, status) VALUES (4, 'four', 1, 'sold')",
      {
        "/v1/pets?limit=4": { names: "one two three four", next: true },
        "/v1/pets?limit=2&status=sold": { names: "two four", next: true },
      },
    ],
    [
      "one in the place of another",
      `INSERT INTO animal (id, name, category_id, status) VALUES (3, 'tres', 1, 'sold')
       ON CONFLICT (id) DO UPDATE SET name = excluded.name`,
      { "/v1/pets/3": { names: "tres" }, "/v1/pets?limit=3": { names: "one two tres" } },
    ],
  ];

  test.each(changes)("%s by another program shows in the next response", async (_, statement, after) => {
    await using service = await startWithSix();
    for (const path of Object.keys(after)) await askUntilCached(service, path);
    await service.database.query(statement);
    for (const [path, expected] of Object.entries(after)) {
      const seen = await ask(service, path);
      expect([path, seen]).toEqual([path, expect.objectContaining(expected)]);
      expect(seen.cacheHit).not.toBe(true);
    }
  });

  const ends: readonly [string, string, number][] = [
    ["revoked", "UPDATE api_key SET revoked_at = 1000 WHERE id = 2", 401],
    ["let expire", "UPDATE api_key SET expires_at = 1000 WHERE id = 2", 401],
    ["removed", "DELETE FROM api_key WHERE id = 2", 401],
    ["narrowed", `UPDATE api_key SET scopes = '["pets:write"]' WHERE id = 2`, 403],
  ];

  test.each(ends)(
    "a key that another program has %s is refused at its next request",
    async (_, statement, status) => {
      await using service = await startWithSix();
      const { key } = await service.issueKey();
      const headers = { authorization: `Bearer ${key}` };
      for (let time = 0; time < 3; time++) {
        expect((await service.call("/v1/pets?limit=2", { headers })).status).toBe(200);
        await add(service, "new");
      }
      await service.database.query(statement);
      expect((await service.call("/v1/pets?limit=2", { headers })).status).toBe(status);
      expect((await service.call("/v1/pets?limit=2")).status).toBe(200);
    },
  );

  test("a key that another program restores works on its next request", async () => {
    await using service = await startWithSix();
    const { id, key } = await service.issueKey();
    const headers = { authorization: `Bearer ${key}` };
    await service.store.revokeKey(id, Date.now());
    expect((await service.call("/v1/pets", { headers })).status).toBe(401);
    await service.database.query(`UPDATE api_key SET revoked_at = NULL WHERE id = ${id}`);
    expect((await service.call("/v1/pets", { headers })).status).toBe(200);
  });

  test("an import beside the service shows in the next response", async () => {
    await using service = await startWithSix();
    using folder = temporaryFolder();
    const file = join(folder.path, "animals.ndjson");
    await Bun.write(file, '{"name":"fourteen","categoryId":1}\n{"name":"fifteen","categoryId":1}\n');
    await askUntilCached(service, "/v1/pets?limit=6");
    await askUntilCached(service, "/v1/pets?limit=7");
    const imported = await run(["import", file], {
      cwd: folder.path,
      env: { DATABASE_URL: service.database.url },
    });
    expect(imported.exitCode).toBe(0);
    expect(await ask(service, "/v1/pets?limit=6")).toMatchObject({ next: true, cacheHit: false });
    expect(await ask(service, "/v1/pets?limit=7")).toMatchObject({
      names: "one two three eleven twelve thirteen fourteen",
      next: true,
    });
  });
});
