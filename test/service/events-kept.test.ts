import { Database } from "bun:sqlite";
import { expect, test } from "bun:test";
import { type ServiceProcess, serve } from "../support/program.ts";
import { storePlace } from "../support/store-place.ts";
import { until } from "../support/until.ts";

function call({ address }: ServiceProcess, key: string, path: string, init: RequestInit = {}) {
  return fetch(`${address}/v1${path}`, {
    ...init,
    headers: { ...(init.headers as Record<string, string>), authorization: `Bearer ${key}` },
  });
}

test("the service deletes events that are older than EVENTS_KEEP, and no others", async () => {
  using here = storePlace();
  const env = { ...here.env, STABILITY: "experimental", EVENTS_KEEP: "1h" };
  let key: string;
  {
    await using service = await serve({ cwd: here.cwd, env });
    key = service.key;
    for (const name of ["old", "new"]) {
      const body = JSON.stringify({ name, categoryId: 1 });
      const headers = { "content-type": "application/json" };
      expect((await call(service, key, "/pets", { method: "POST", headers, body })).status).toBe(201);
    }
  }
  using database = new Database(here.store);
  database.run("UPDATE event SET at = at - 2 * 3600 * 1000 WHERE id = (SELECT min(id) FROM event)");
  await using service = await serve({ cwd: here.cwd, env });
  const names = async () =>
    ((await (await call(service, key, "/events")).json()) as { animal: { name: string } }[]).map(
      ({ animal }) => animal.name,
    );
  await until(async () => (await names()).length < 2);
  expect(await names()).toEqual(["new"]);
  const resume = (id: string) =>
    call(service, key, "/events", {
      method: "HEAD",
      headers: { accept: "text/event-stream", "last-event-id": id },
    });
  expect((await resume("1")).status).toBe(410);
  expect((await resume("2")).status).toBe(200);
});
