import { expect, test } from "bun:test";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { SANDBOX_KEYS } from "../../sandbox/keys.ts";
import { temporaryFolder } from "../support/folder.ts";
import { run, sandbox } from "../support/program.ts";
import { startSandbox, type TestSandbox } from "../support/sandbox.ts";

const [{ key: ALL }] = SANDBOX_KEYS;

async function created(sandbox: TestSandbox): Promise<number> {
  const response = await sandbox.call("/v1/pets", {
    method: "POST",
    headers: { "content-type": "application/json", "idempotency-key": "rex" },
    body: '{"name":"Rex","categoryId":1}',
  });
  return ((await response.json()) as { id: number }).id;
}

async function clock(sandbox: TestSandbox, to: object): Promise<{ now: string; frozen: boolean }> {
  const response = await sandbox.control("PUT", "/clock", to);
  expect(response.status).toBe(200);
  return (await response.json()) as { now: string; frozen: boolean };
}

test("a snapshot brings back the store and the clock, as often as it is restored", async () => {
  await using sandbox = await startSandbox();
  await clock(sandbox, { now: "2028-01-01T00:00:00Z", frozen: true });
  expect(await created(sandbox)).toBe(25);
  expect((await sandbox.control("PUT", "/snapshots/with-rex")).status).toBe(204);
  await sandbox.plan({ fault: "500", operation: "listOrders" });
  for (let round = 0; round < 2; round++) {
    await clock(sandbox, { advance: "2d" });
    expect(await created(sandbox)).toBe(26);
    expect((await sandbox.control("POST", "/snapshots/with-rex")).status).toBe(204);
    expect(await (await sandbox.control("GET", "/clock")).json()).toEqual({
      now: "2028-01-01T00:00:00.000Z",
      frozen: true,
    });
    expect(await created(sandbox)).toBe(25);
  }
  expect((await sandbox.call("/v1/orders")).status).toBe(500);
  expect(await (await sandbox.control("GET", "/snapshots")).json()).toEqual({ snapshots: ["with-rex"] });
  expect((await sandbox.control("DELETE", "/snapshots/with-rex")).status).toBe(204);
  for (const method of ["POST", "DELETE"])
    expect(await (await sandbox.control(method, "/snapshots/with-rex")).json()).toMatchObject({
      code: "snapshot_not_found",
      status: 404,
    });
});

test("a space begins in a snapshot of another one, returns to it by a reset, and changes nothing there", async () => {
  await using sandbox = await startSandbox();
  await clock(sandbox, { now: "2028-01-01T00:00:00Z", frozen: true });
  expect(await created(sandbox)).toBe(25);
  expect((await sandbox.control("PUT", "/snapshots/with-rex")).status).toBe(204);
  const made = await sandbox.control("POST", "/spaces?snapshot=with-rex");
  expect(made.status).toBe(201);
  const { keys } = (await made.json()) as { keys: { key: string }[] };
  const headers = { authorization: `Bearer ${keys[0]?.key}`, "content-type": "application/json" };
  // What happens to the space that has the snapshot does not matter any more.
  expect((await sandbox.control("DELETE", "/snapshots/with-rex")).status).toBe(204);
  expect((await sandbox.control("POST", "/reset")).status).toBe(204);
  for (const _ of ["at first", "after a reset"]) {
    const body = '{"name":"Rex","categoryId":1}';
    const answer = await sandbox.call("/v1/pets", { method: "POST", headers, body });
    expect(await answer.json()).toMatchObject({ id: 26 });
    const now = await fetch(`${sandbox.address}/_sandbox/clock`, { headers });
    expect(await now.json()).toEqual({ now: "2028-01-01T00:00:00.000Z", frozen: true });
    const reset = await fetch(`${sandbox.address}/_sandbox/reset`, { method: "POST", headers });
    expect(reset.status).toBe(204);
  }
  expect(await created(sandbox)).toBe(25);
});

test.each([
  ["snapshot=none", 404, "snapshot_not_found"],
  ["snapshots=with-rex", 400, "invalid_parameter"],
  ["snapshot=a&snapshot=b", 400, "invalid_parameter"],
  ["snapshot=%ff", 400, "malformed_escape"],
])("a space that is to begin in %s gets %d, and none is made", async (query, status, code) => {
  await using sandbox = await startSandbox();
  const refused = await (await sandbox.control("POST", `/spaces?${query}`)).json();
  expect(refused).toMatchObject({ status, code });
  const { spaces } = (await (await sandbox.control("GET", "/spaces")).json()) as { spaces: unknown[] };
  expect(spaces).toHaveLength(1);
});

test("a space keeps at most 20 snapshots, each under a plain name", async () => {
  await using sandbox = await startSandbox();
  const take = async (name: string) => (await sandbox.control("PUT", `/snapshots/${name}`)).json();
  for (let taken = 0; taken < 20; taken++)
    expect((await sandbox.control("PUT", `/snapshots/s${taken}`)).status).toBe(204);
  expect(await take("one-more")).toMatchObject({ code: "too_many_snapshots", status: 409 });
  expect((await sandbox.control("PUT", "/snapshots/s3")).status).toBe(204);
  expect(await take("a%20b")).toMatchObject({ code: "invalid_name", status: 400 });
});

test("a frozen clock stands still, also when it is advanced, until it is released", async () => {
  await using sandbox = await startSandbox();
  expect(await clock(sandbox, { now: "2027-05-01T12:00:00Z", frozen: true })).toEqual({
    now: "2027-05-01T12:00:00.000Z",
    frozen: true,
  });
  await Bun.sleep(5);
  expect(await clock(sandbox, { advance: "90s" })).toEqual({ now: "2027-05-01T12:01:30.000Z", frozen: true });
  const released = await clock(sandbox, { frozen: false });
  expect(released.frozen).toBe(false);
  expect(Date.parse(released.now)).toBeGreaterThanOrEqual(Date.parse("2027-05-01T12:01:30Z"));
  await Bun.sleep(5);
  const later = (await (await sandbox.control("GET", "/clock")).json()) as { now: string };
  expect(Date.parse(later.now)).toBeGreaterThan(Date.parse(released.now));
  expect((await sandbox.control("DELETE", "/clock")).status).toBe(204);
  const real = (await (await sandbox.control("GET", "/clock")).json()) as { frozen: boolean };
  expect(real.frozen).toBe(false);
});

/** What a sandbox with these flags has, also in a space and after a reset. */
async function animalsWith(args: readonly string[], cwd: string): Promise<unknown[]> {
  await using service = await sandbox({ cwd }, args);
  const list = async (key: string) => {
    const headers = { authorization: `Bearer ${key}` };
    return (await (await fetch(`${service.address}/v1/pets?limit=100`, { headers })).json()) as unknown[];
  };
  const control = (path: string) => fetch(`${service.address}/_sandbox${path}`, { method: "POST" });
  const first = await list(ALL);
  const { keys } = (await (await control("/spaces")).json()) as { keys: { key: string }[] };
  expect(await list(keys[0]?.key ?? "")).toEqual(first);
  expect((await control("/reset")).status).toBe(204);
  expect(await list(ALL)).toEqual(first);
  return first;
}

test("a sandbox begins empty, with sample animals or with fixtures, and a reset returns to them", async () => {
  using folder = temporaryFolder();
  const cwd = folder.path;
  expect(await animalsWith(["--empty"], cwd)).toEqual([]);
  const sample = await animalsWith(["--animals", "30", "--seed", "7"], cwd);
  expect(sample.length).toBe(30);
  writeFileSync(
    join(cwd, "fixtures.csv"),
    'id,name,categoryId,status\n7,"Rex, the dog",9223372036854775807,sold\n',
  );
  const rex = { id: 7, name: "Rex, the dog", status: "sold" };
  expect(await animalsWith(["--fixtures", "fixtures.csv"], cwd)).toMatchObject([rex]);
  const kept = ["--store", "./kept.db", "--fixtures", "fixtures.csv"];
  expect(await animalsWith(kept, cwd)).toMatchObject([rex]);
  expect(await animalsWith(["--store", "./kept.db", "--fixtures", "fixtures.csv"], cwd)).toMatchObject([rex]);
});

test("states that make no sense are refused, and no sandbox starts", async () => {
  using folder = temporaryFolder();
  const cwd = folder.path;
  writeFileSync(join(cwd, "bad.csv"), "name,categoryId\n,1\n");
  const refusals: [string[], number, string][] = [
    [["--empty", "--animals", "3"], 2, "--empty and --animals cannot be used together."],
    [["--seed", "3"], 2, "--seed is for --animals, --delay and --fault, which are all missing."],
    [["--animals", "0"], 2, '--animals is "0"; it must be a whole number from 1 to 1000000'],
    [["--animals", "3", "--seed", "x"], 2, '--seed is "x"; it must be a whole number below a billion'],
    [["--fixtures", "bad.csv"], 1, "--fixtures: the animals could not be taken over"],
    [["--fixtures", "none.csv"], 1, "none.csv"],
    [["--allow-host", "a b"], 2, '--allow-host is "a b"; it must be names separated by commas'],
  ];
  for (const [args, code, message] of refusals) {
    const { exitCode, stderr } = await run(["sandbox", "--port", "0", ...args], { cwd });
    expect([args, exitCode, stderr]).toEqual([args, code, expect.stringContaining(message)]);
  }
});
