import { expect, test } from "bun:test";
import { SANDBOX_KEYS } from "../../sandbox/keys.ts";
import { temporaryFolder } from "../../test/support/folder.ts";
import { residentMb } from "../../test/support/processes.ts";
import { run, type ServiceProcess, sandbox } from "../../test/support/program.ts";
import { until } from "../../test/support/until.ts";
import { reportOf } from "../../test/verify/verify-report.ts";
import { shareOf } from "../share.ts";

const [{ key: ALL }] = SANDBOX_KEYS;
/** What a space in use may take, in megabytes: the guide says 0.6. */
const SPACE_MAX_MB = 1;
/** What resets may leave behind, in megabytes: less than a tenth of the stores that they replace. */
const RESETS_MAX_MB = 100;

function control({ address }: ServiceProcess, method: string, path: string, key = ALL): Promise<Response> {
  return fetch(`${address}/_sandbox${path}`, { method, headers: { authorization: `Bearer ${key}` } });
}

function create({ address }: ServiceProcess, key: string): Promise<Response> {
  const headers = { authorization: `Bearer ${key}`, "content-type": "application/json" };
  return fetch(`${address}/v1/pets`, { method: "POST", headers, body: '{"name":"Rex","categoryId":1}' });
}

/** Runs work that often, one after the other, and prints how long each took. */
async function repeat(times: number, what: string, work: () => Promise<unknown>): Promise<void> {
  const before = performance.now();
  for (let time = 0; time < times; time++) await work();
  console.log(`${what}: ${((performance.now() - before) / times).toFixed(2)} ms each, ${times} times`);
}

test("`verify --url` passes against a sandbox and against a space", async () => {
  using folder = temporaryFolder();
  await using service = await sandbox({ cwd: folder.path });
  const made = (await (await control(service, "POST", "/spaces")).json()) as { keys: { key: string }[] };
  for (const key of shareOf([ALL, made.keys[0]?.key ?? ""], "spaces")) {
    const args = ["verify", "--url", service.address, "--key", key, "--json"];
    const { passed, checks } = reportOf(await run(args, { cwd: folder.path }));
    expect(checks.map(({ failure }) => failure).filter(Boolean)).toEqual([]);
    expect(passed).toBe(true);
  }
});

test("a delay may be longer than the runtime waits for an idle connection", async () => {
  using folder = temporaryFolder();
  await using service = await sandbox({ cwd: folder.path });
  const headers = { authorization: `Bearer ${ALL}`, prefer: "delay=13000" };
  expect((await fetch(`${service.address}/v1/pets`, { headers })).status).toBe(200);
});

test("1000 spaces in use, and thousands of resets, take the memory that the guide says", async () => {
  using folder = temporaryFolder();
  await using service = await sandbox({ cwd: folder.path });
  const keys: string[] = [];
  const empty = residentMb(service.pid);
  await repeat(1000, "making a space", async () => {
    const response = await control(service, "POST", "/spaces");
    keys.push(((await response.json()) as { keys: { key: string }[] }).keys[0]?.key ?? "");
  });
  console.log(`1000 spaces, not used yet: ${(residentMb(service.pid) - empty).toFixed(0)} MB`);
  const unused = keys.values();
  await repeat(1000, "the first create in a space", async () => {
    expect((await create(service, unused.next().value ?? "")).status).toBe(201);
  });
  const used = residentMb(service.pid) - empty;
  console.log(`1000 spaces in use: ${used.toFixed(0)} MB`);
  expect(used).toBeLessThan(1000 * SPACE_MAX_MB);
  const reset = async () => expect((await control(service, "POST", "/reset")).status).toBe(204);
  await repeat(500, "a reset", reset);
  const before = residentMb(service.pid);
  await repeat(2000, "a reset", reset);
  const left = () => residentMb(service.pid) - before;
  console.log(`2000 resets: ${left().toFixed(0)} MB`);
  // Garbage of a busy sandbox goes once it rests; stores that something still holds would not.
  await until(() => left() < RESETS_MAX_MB);
});
