import { expect, test } from "bun:test";
import { parseExact } from "../../contract/animal.ts";
import type { Client } from "../../contract/client.ts";
import type { OrderStatus } from "../../contract/order.ts";
import { startPostgres } from "../../test/support/postgres.ts";
import { Fleet } from "./fleet.ts";
import { addAnimals } from "./race.ts";

// As soon as an order has changed an animal, every page that shows the animal, or would show it, is another page, on
// every instance. Each page is asked for again and again before, so that it comes from memory.

const ANIMALS = 30;
const CHANGES = 40;

type Rows = readonly { readonly id: bigint; readonly status: string }[];

/** Every kind of page that an animal and its orders may be on, of an instance, by its path. */
class Pages {
  readonly #client: Client;
  /** The ETag of each page when it was asked for last. */
  readonly #tags = new Map<string, string>();
  readonly #paths: readonly string[];

  constructor(client: Client, animal: bigint, cursor: string) {
    this.#client = client;
    this.#paths = [
      `/pets/${animal}`,
      "/pets",
      "/pets?limit=100",
      `/pets?limit=10&cursor=${cursor}`,
      ...["available", "pending", "sold"].map((status) => `/pets?limit=100&status=${status}`),
    ];
  }

  /** Asks for each page twice, so that it is cached, and once more whether it has changed. */
  async warm(): Promise<void> {
    for (const path of this.#paths) {
      await this.#client.send({ path });
      const { headers } = await this.#client.send({ path });
      const tag = headers.get("etag") ?? "";
      this.#tags.set(path, tag);
      const again = await this.#client.send({ path, headers: { "If-None-Match": tag } });
      expect({ path, status: again.status }).toEqual({ path, status: 304 });
    }
  }

  /** Each page must show the animal with this status, and have another tag where it showed it otherwise. */
  async expectStatus(animal: bigint, status: string, before: string): Promise<void> {
    for (const path of this.#paths) {
      const tag = this.#tags.get(path) ?? "";
      const {
        body,
        status: answered,
        headers,
      } = await this.#client.send({ path, headers: { "If-None-Match": tag } });
      const filter = /status=([a-z]+)/.exec(path)?.[1];
      const shows = filter === undefined || filter === status || filter === before;
      const isChanged = status !== before && shows;
      if (!isChanged && answered === 304) continue;
      expect({ path, answered, isNew: headers.get("etag") !== tag }).toEqual({
        path,
        answered: 200,
        isNew: isChanged,
      });
      const rows = [parseExact(body)].flat() as Rows;
      const found = rows.find(({ id }) => id === animal)?.status;
      expect({ path, found }).toEqual({
        path,
        found: filter === undefined || filter === status ? status : undefined,
      });
    }
  }
}

/** Changes one animal after the other through its orders, and looks at all pages of all instances after each change. */
async function expectFreshness(fleet: Fleet): Promise<void> {
  const animals = await addAnimals(fleet, ANIMALS, "fresh");
  const clients = Array.from({ length: Math.max(2, fleet.size) }, (_, at) => fleet.client(at));
  const [client] = clients as [Client];
  const first = await client.send({ path: "/pets?limit=10" });
  const cursor = /cursor=([^>&]+)/.exec(first.headers.get("link") ?? "")?.[1] ?? "";
  const ids = (parseExact((await client.send({ path: `/pets?limit=10&cursor=${cursor}` })).body) as Rows).map(
    ({ id }) => id,
  );
  expect(animals).toEqual(expect.arrayContaining(ids));
  let changes = 0;
  for (const animal of ids) {
    const steps: readonly (readonly [order: OrderStatus, animal: string])[] = [
      ["placed", "pending"],
      ["approved", "pending"],
      changes % 2 === 0 ? ["delivered", "sold"] : ["cancelled", "available"],
    ];
    let before = "available";
    let order = 0n;
    for (const [step, status] of steps) {
      const pages = clients.map((each) => new Pages(each, animal, cursor));
      for (const each of pages) await each.warm();
      const writer = clients[changes % clients.length] as Client;
      const call =
        step === "placed"
          ? { path: "/orders", body: `{"petId":${animal}}` }
          : { method: "PATCH", path: `/orders/${order}`, body: `{"status":"${step}"}` };
      const answer = await writer.send(call);
      expect([200, 201]).toContain(answer.status);
      order = (parseExact(answer.body) as { id: bigint }).id;
      await Promise.all(pages.map((each) => each.expectStatus(animal, status, before)));
      before = status;
      if (++changes === CHANGES) return;
    }
  }
}

test("on SQLite with two workers, every page shows a change right after its answer", async () => {
  await using fleet = await Fleet.start(1, { WORKERS: "2" });
  await expectFreshness(fleet);
});

test("on four instances of one PostgreSQL, every page of each shows a change right after its answer", async () => {
  await using postgres = await startPostgres();
  await using fleet = await Fleet.start(4, { DATABASE_URL: await postgres.createDatabase() });
  await expectFreshness(fleet);
});
