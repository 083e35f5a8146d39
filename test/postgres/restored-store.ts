import { expect } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { TestDatabase } from "../support/database.ts";
import { type Service, startService } from "../support/service.ts";

/** A service on a database that stays when it ends. */
export function startOn(url: string): Promise<Service> {
  const database: Partial<TestDatabase> = { url, [Symbol.asyncDispose]: async () => {} };
  return startService({}, async () => database as TestDatabase);
}

/** What stands on a page of the documentation between two texts. */
export function documented(page: string, begin: string, end: string): string {
  const [, after = ""] = readFileSync(join(import.meta.dir, "../../docs", page), "utf8").split(begin, 2);
  const found = after.slice(0, after.indexOf(end));
  expect(found).toContain("animal_store");
  return found;
}

/** Statements that do the same with each table of the store, `%1$I`. */
export function withEachTable(...statements: string[]): string {
  const executes = statements.map((each) => `EXECUTE format('${each}', name);`).join("\n");
  return `DO $$ DECLARE name text; BEGIN
            FOR name IN SELECT tablename FROM pg_tables WHERE schemaname = 'animal_store' LOOP
              ${executes}
            END LOOP; END $$`;
}

/** Creates an animal, once by this name, and returns its id. */
export async function create({ create }: Service, name: string, key: string): Promise<number> {
  const headers = { authorization: `Bearer ${key}`, "idempotency-key": name };
  const answer = await create(JSON.stringify({ name, categoryId: 1 }), headers);
  expect(answer.status).toBe(201);
  return ((await answer.json()) as { id: number }).id;
}

async function statusWith({ call }: Service, key: string): Promise<number> {
  return (await call("/v1/pets", { headers: { authorization: `Bearer ${key}` } })).status;
}

/** Makes 30 animals, and returns the path of the second page of 20. */
export async function fill(service: Service): Promise<string> {
  for (let n = 1; n <= 30; n++) expect(await create(service, `${n}`, service.key)).toBe(n);
  const { headers } = await service.call("/v1/pets?limit=20");
  return /<([^>]+)>; rel="next"/.exec(headers.get("link") ?? "")?.[1] ?? "";
}

/** What became of the store after the moment that it is restored to. */
export interface Since {
  readonly lastId: number;
  readonly revokedKey: string;
  readonly issued: { readonly id: number; readonly key: string };
}

/** Gives an id, revokes a key and issues another, and ends the service. */
export async function goOn(service: Service, revoked: { id: number; key: string }): Promise<Since> {
  const lastId = await create(service, "since", service.key);
  await service.store.revokeKey(revoked.id, Date.now());
  const issued = await service.issueKey();
  await service[Symbol.asyncDispose]();
  return { lastId, revokedKey: revoked.key, issued };
}

/** Holds that no id is given again, that a key revoked since stays revoked, and that a key issued since works. */
export async function expectRemembered(service: Service, key: string, since: Since): Promise<void> {
  expect(await create(service, "since", key)).toBeGreaterThan(since.lastId);
  expect(await statusWith(service, since.revokedKey)).toBe(401);
  expect(await statusWith(service, since.issued.key)).toBe(200);
  expect((await service.issueKey()).id).toBeGreaterThan(since.issued.id);
}

/** Holds that the store is as `fill` left it, for a client that was there then. */
export async function expectFilled(service: Service, next: string, key: string): Promise<void> {
  const page = (await (await service.call(next)).json()) as { id: number }[];
  expect(page.map(({ id }) => id)).toEqual([21, 22, 23, 24, 25, 26, 27, 28, 29, 30]);
  expect(await create(service, "30", key)).toBe(30);
}
