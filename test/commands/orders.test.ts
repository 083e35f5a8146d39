import { describe, expect, test } from "bun:test";
import { storePlace } from "../support/store-place.ts";
import { ordersOn, withAnimals } from "./orders-on.ts";

// On PostgreSQL it is suites/commands/orders.test.ts.
describe("on SQLite", () => ordersOn(async () => `sqlite:./${crypto.randomUUID()}.db`));

test("a restored store assigns no id of an order twice", async () => {
  using here = storePlace();
  await withAnimals(here, here.env.DATABASE_URL);
  const place = async (file: string, rows: string) => {
    await here.write(file, `petId,status\n${rows}`);
    return (await here.run("import", "--orders", file)).stderr;
  };
  await place("one.csv", "1,placed\n2,delivered\n");
  expect((await here.run("backup", "a.bak", "--json")).stdout).toContain('"orders":2,"lastOrderId":2');
  await place("more.csv", "3,cancelled\n3,cancelled\n");
  const restored = await here.run("restore", "a.bak", "--force", "--json");
  expect(JSON.parse(restored.stdout)).toMatchObject({ orders: 2, nextOrderId: 5 });
  expect(await place("then.csv", "3,placed\n")).toContain(", id 5.");
});
