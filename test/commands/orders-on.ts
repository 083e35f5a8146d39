import { expect, test } from "bun:test";
import { EVENT_TYPES } from "../../src/domain/change-event.ts";
import { INT64_MAX } from "../../src/domain/int64.ts";
import type { Store } from "../../src/domain/store.ts";
import { openStore } from "../../src/stores/open.ts";
import { type StorePlace, storePlace } from "../support/store-place.ts";

const ORDERS = [
  ["id", "petId", "status", "placedAt", "updatedAt"],
  ["3", "1", "cancelled", "2026-01-02T03:04:05.006Z", "2026-01-03T00:00:00.000Z"],
  ["5", "1", "placed", "2026-01-04T00:00:00.000Z", "2026-01-04T00:00:00.000Z"],
  ["9", "2", "delivered", "2026-01-05T00:00:00.000Z", "2026-01-06T00:00:00.001Z"],
  [
    "4611686018427387904",
    "4611686018427387904",
    "approved",
    "2026-01-07T00:00:00.000Z",
    "2026-01-08T00:00:00.000Z",
  ],
];
const CSV = `${ORDERS.map((row) => row.join(",")).join("\r\n")}\r\n`;

/** Animals 1 to 4 and 2^62, whose statuses are right beside the orders. */
export async function withAnimals(here: StorePlace, url: string): Promise<void> {
  const lines = ["id,name,categoryId,status", "1,A,1,pending", "2,B,1,sold", "3,C,1,available", "4,D,1,sold"];
  await here.write("animals.csv", `${lines.join("\n")}\n4611686018427387904,E,1,pending\n`);
  expect((await here.run("import", "animals.csv", "--database", url)).exitCode).toBe(0);
}

/**
 * What commands do with orders.
 *
 * @param create makes a database, or names a database that does not exist yet
 */
export function ordersOn(create: () => Promise<string>): void {
  test("an export in each format has the orders that were imported", async () => {
    using here = storePlace();
    await here.write("all.csv", CSV);
    let file = "all.csv";
    // Each format goes into a store and comes out as the next one: what is lost on the way is not in the last file.
    for (const format of ["ndjson", "json", "csv"]) {
      const url = await create();
      const at = ["--database", url];
      await withAnimals(here, url);
      const imported = await here.run("import", "--orders", file, ...at);
      expect(imported.stderr).toMatch(/^Imported 4 orders into \S+, ids 3 to 4611686018427387904\.\n$/);
      const again = await here.run("import", "--orders", file, "--json", ...at);
      expect(JSON.parse(again.stdout)).toMatchObject({ alreadyImported: true, orders: 0, bad: 0 });
      file = `out.${format}`;
      const exported = await here.run("export", "--orders", file, "--json", ...at);
      expect(JSON.parse(exported.stdout)).toMatchObject({ format, orders: 4 });
      if (format !== "csv") {
        expect(here.read(file)).toContain(
          '{"id":4611686018427387904,"petId":4611686018427387904,"status":"approved",',
        );
        continue;
      }
      expect(here.read(file)).toBe(CSV);
      const animals = await here.run("export", "-", "--format", "csv", ...at);
      expect(animals.stdout).toContain("1,A,1,pending");
    }
  });

  test("every bad row is reported, with what is wrong and what would be right", async () => {
    using here = storePlace();
    const url = await create();
    await withAnimals(here, url);
    const at = ["--database", url];
    await here.write("orders.csv", CSV);
    await here.run("import", "--orders", "orders.csv", ...at);
    const rows = [
      "petId,status,placedAt,updatedAt",
      "3,placed,,",
      "99,placed,,",
      "1,approved,,",
      "3,approved,,",
      "4,placed,,",
      "4,delivered,,",
      "1,cancelled,,",
      ",placed,,",
      "x,lost,,",
      `${INT64_MAX}0,placed,,`,
      "3,cancelled,2026-02-30T00:00:00Z,",
      "3,cancelled,2026-01-02T00:00:00.1234Z,",
      "3,cancelled,2026-01-02,",
      "3,cancelled,2026-01-02T00:00:00+01:00,2026-01-01T22:00:00Z",
    ];
    await here.write("bad.csv", rows.join("\n"));
    const refused = await here.run("import", "--orders", "bad.csv", ...at);
    expect(refused.exitCode).toBe(1);
    expect(refused.stderr.split("\n")).toEqual([
      "line 3: `petId` is 99, and the store has no animal with this id",
      "line 4: `petId` is 1, and order 5 for this animal is placed; an animal has at most one order that is not cancelled",
      "line 5: `petId` is 3, and an earlier row has an order for this animal; an animal has at most one order that is not cancelled",
      "line 6: `status` is placed, and animal 4 is sold; its order can only be delivered or cancelled",
      "line 9: `petId` is required and must be an integer from -9223372036854775808 to 9223372036854775807",
      expect.stringMatching(/^line 10: `petId` must be an integer .*; `status` must be one of /),
      expect.stringMatching(/^line 11: `petId` must be an integer/),
      ...[12, 13, 14].map((line) =>
        expect.stringMatching(new RegExp(`^line ${line}: .placedAt. must be an RFC 3339 time`)),
      ),
      "line 15: `updatedAt` must not be before `placedAt`",
      "animal-store: 11 rows of bad.csv are invalid; nothing was imported. Correct them, or write them to a file with --skip-bad FILE and import the others.",
      "",
    ]);
    const tried = await here.run(
      "import",
      "--orders",
      "bad.csv",
      "--dry-run",
      "--skip-bad",
      "tried.txt",
      "--quiet",
      "--json",
      ...at,
    );
    expect(JSON.parse(tried.stdout)).toMatchObject({ dryRun: true, orders: 3, bad: 11 });
    const imported = await here.run(
      "import",
      "--orders",
      "bad.csv",
      "--skip-bad",
      "bad.txt",
      "--json",
      "--quiet",
      ...at,
    );
    expect(JSON.parse(imported.stdout)).toMatchObject({ orders: 3, bad: 11 });
    expect(here.read("bad.txt")).toContain(
      "# line 3: `petId` is 99, and the store has no animal with this id\n99,placed,,\n",
    );
    const orders = await here.run("export", "--orders", "-", "--format", "ndjson", ...at);
    expect(orders.stdout.trim().split("\n")).toHaveLength(7);
    // The animals follow their orders.
    const animals = (await here.run("export", "-", "--format", "csv", ...at)).stdout;
    expect(animals).toContain("3,C,1,pending");
  });

  test("ids of orders are kept if they are new, and assigned otherwise", async () => {
    using here = storePlace();
    const url = await create();
    await withAnimals(here, url);
    const at = ["--database", url];
    await here.write("one.csv", "id,petId,status\n7,3,cancelled\n");
    await here.write("other.csv", "id,petId,status\n7,3,placed\n");
    expect((await here.run("import", "--orders", "one.csv", ...at)).stderr).toContain(", id 7.");
    expect((await here.run("import", "--orders", "other.csv", ...at)).stderr).toContain(
      "the store has already given ids up to 7; nothing was imported. Assign new ids with --ids new, or import into a store without orders.",
    );
    expect((await here.run("import", "--orders", "other.csv", "--ids", "new", ...at)).stderr).toContain(
      ", id 8.",
    );
  });

  test("`animals set` and `animals remove` say which order is in the way", async () => {
    using here = storePlace();
    const url = await create();
    await withAnimals(here, url);
    const at = ["--database", url];
    await here.write("orders.csv", CSV);
    await here.run("import", "--orders", "orders.csv", ...at);
    const said = async (...args: string[]) => {
      const { exitCode, stderr } = await here.run("animals", ...args, ...at);
      return { exitCode, stderr };
    };
    expect(await said("set", "1", "2", "3", "--status", "available")).toEqual({
      exitCode: 1,
      stderr:
        "animal-store: Animal 1 has order 5, which is placed, so it stays pending until the order is delivered or cancelled. " +
        "Animal 2 has order 9, which is delivered, so it stays sold. Nothing was changed.\n",
    });
    expect(await said("remove", "1", "3")).toEqual({
      exitCode: 1,
      stderr: "animal-store: Animal 1 has orders 3 and 5, so it cannot be removed. Nothing was changed.\n",
    });
    expect((await said("set", "1", "--name", "Rex", "--status", "pending")).exitCode).toBe(0);
    expect((await said("remove", "3")).exitCode).toBe(0);
  });

  test("seed makes orders that agree with their animals", async () => {
    using here = storePlace();
    const url = await create();
    const at = ["--database", url];
    await here.run("seed", "--count", "300", ...at);
    expect((await here.run("seed", "--count", "700", "--json", ...at)).exitCode).toBe(0);
    const read = async (...what: string[]) => {
      const { stdout } = await here.run("export", ...what, "-", "--format", "ndjson", ...at);
      return stdout
        .trim()
        .split("\n")
        .map((line) => JSON.parse(line));
    };
    const animals = await read();
    const orders = await read("--orders");
    expect(orders.map(({ id }) => id)).toEqual(orders.map((_, index) => index + 1));
    const means = new Map(
      orders.filter(({ status }) => status !== "cancelled").map(({ petId, status }) => [petId, status]),
    );
    for (const { id, status } of animals) {
      const order = means.get(id);
      if (status === "available") expect(order).toBeUndefined();
      if (status === "pending") expect(["placed", "approved"]).toContain(order);
      if (status === "sold") expect(["delivered", undefined]).toContain(order);
    }
  });

  test("the feed reports imports and corrections, is copied to its end, and is switched off", async () => {
    using here = storePlace();
    const url = await create();
    const at = ["--database", url];
    await withAnimals(here, url);
    const events = async (...args: string[]) =>
      JSON.parse((await here.run("events", "--json", ...(args.length > 0 ? args : at))).stdout);
    expect(await events()).toMatchObject({ recording: false, kept: 0, oldestAt: null, newestId: 0 });
    const place = url.replace("./", `${here.cwd}/`);
    const feed = async <Result>(read: (store: Store) => Result | Promise<Result>) => {
      const store = await openStore(place, Date.now);
      return await Promise.resolve(read(store)).finally(() => store.close());
    };
    await feed((store) => store.recordEvents(true));
    await here.write("two.csv", "name,categoryId\nF,1\nG,1\n");
    expect((await here.run("import", "two.csv", ...at)).exitCode).toBe(0);
    expect((await here.run("animals", "set", "3", "4", "--status", "sold", ...at)).exitCode).toBe(0);
    expect((await here.run("animals", "set", "3", "--name", "Rex", ...at)).exitCode).toBe(0);
    const all = { types: EVENT_TYPES, after: undefined, limit: 100 };
    const page = await feed((store) => store.listEvents(all));
    if (page === "expired") throw new Error("nothing has expired");
    expect(page.items.map((event) => [event.type, "animal" in event && event.animal.name])).toEqual([
      ["animal.created", "F"],
      ["animal.created", "G"],
      ["animal.status_changed", "C"],
    ]);
    const status = await events();
    expect(status).toMatchObject({ recording: true, kept: 3, newestId: Number(page.newest) });
    expect(status.oldestAt).toMatch(/^20\d\d-.*Z$/);

    // A reader of all goes on in the copy; others start again.
    const target = await create();
    expect((await here.run("copy", "--from", url, "--to", target)).exitCode).toBe(0);
    expect(await events("--database", target)).toMatchObject({
      recording: true,
      kept: 0,
      newestId: status.newestId,
    });

    // Orders that are brought in may be old: every reader starts again from a list.
    await here.write("order.csv", "petId,status,placedAt\n1,approved,2020-01-01T00:00:00Z\n");
    expect((await here.run("import", "--orders", "order.csv", ...at)).exitCode).toBe(0);
    expect(await feed((store) => store.listEvents({ ...all, after: page.newest }))).toBe("expired");
    // No reader gets the earlier ones any more, so they do not count as kept.
    expect(await events()).toMatchObject({ kept: 0, oldestAt: null });

    expect((await here.run("animals", "set", "3", "--status", "pending", ...at)).exitCode).toBe(0);
    const off = await here.run("events", "--off", ...at);
    expect(off.stdout).toContain(
      "are not recorded. A service with STABILITY=experimental starts that. 1 event is kept",
    );
    expect((await here.run("animals", "set", "3", "--status", "available", ...at)).exitCode).toBe(0);
    expect(await events()).toMatchObject({ recording: false, kept: 1 });
  });

  test("orders are copied, and their ids continue in the copy", async () => {
    using here = storePlace();
    const [source, target] = [await create(), await create()];
    await withAnimals(here, source);
    await here.write("orders.csv", "petId,status\n3,cancelled\n3,placed\n");
    await here.run("import", "--orders", "orders.csv", "--database", source);
    const copied = await here.run("copy", "--from", source, "--to", target, "--json");
    expect(JSON.parse(copied.stdout)).toMatchObject({ animals: 5, orders: 2, lastOrderId: 2 });
    const [was, is] = await Promise.all(
      [source, target].map((url) =>
        here.run("export", "--orders", "-", "--format", "csv", "--database", url),
      ),
    );
    expect(is?.stdout).toBe(was?.stdout as string);
    await here.write("more.csv", "petId,status\n4,delivered\n");
    expect((await here.run("import", "--orders", "more.csv", "--database", target)).stderr).toContain(
      ", id 3.",
    );
  });
}
