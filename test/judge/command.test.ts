import { expect, test } from "bun:test";
import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { Child } from "../../verify/child.ts";
import { temporaryFolder } from "../support/folder.ts";
import { PROGRAM, run, TIED } from "../support/program.ts";
import { until } from "../support/until.ts";

// The clients of this repository and others are judged in suites/clients and suites/generators.

/** It keeps nothing: no key, no failure, no link. */
const NAIVE = `
const headers = { authorization: "Bearer " + process.env.API_KEY, "content-type": "application/json" };
const call = (path, init) => fetch(process.env.ANIMAL_STORE_URL + path, { ...init, headers });
const animals = await (await call("/pets?limit=100&page=2").catch(() => call("/pets?limit=100"))).json();
const { categoryId } = animals.at?.(-1) ?? {};
const create = () => call("/pets", { method: "POST", body: JSON.stringify({ name: "Rex", categoryId }) });
await create().catch(create);
`;

interface Judged {
  readonly score: number;
  readonly threshold: number;
  readonly runs: readonly { readonly name: string; readonly requests: number }[];
  readonly rules: readonly { readonly id: string; readonly verdict: string; readonly evidence: string[] }[];
}

async function judged(program: string, options: readonly string[] = [], env: Record<string, string> = {}) {
  const folder = temporaryFolder();
  writeFileSync(join(folder.path, "client.mjs"), program);
  const before = readdirSync(folder.path);
  const args = ["sandbox", "judge", ...options, "--", process.execPath, "client.mjs"];
  const { exitCode, stdout, stderr } = await run(args, {
    cwd: folder.path,
    env: { TMPDIR: folder.path, DATABASE_URL: "of the caller", ...env },
  });
  return {
    exitCode,
    stdout,
    stderr,
    read: (file: string) => readFileSync(join(folder.path, file), "utf8"),
    added: () => readdirSync(folder.path).filter((file) => !before.includes(file)),
    [Symbol.dispose]: () => folder[Symbol.dispose](),
  };
}

test("a careless client fails with evidence, as text, and the exit code says so", async () => {
  using result = await judged(NAIVE);
  expect(result.exitCode).toBe(1);
  expect(result.stdout).toMatch(/^ {2}broken connections: 4 requests, exit code 0$/m);
  expect(result.stdout).toMatch(/^ {2}failed {4}keyed-creates /m);
  expect(result.stdout).toContain(
    "broken connections: #3 POST /v1/pets got no whole response, and #4 repeated it without an Idempotency-Key",
  );
  expect(result.stderr).toMatch(/the score is \d+, and --threshold is 100\.\n$/);
  expect(result.added()).toEqual([]);
});

test("neither the judge nor the client meets the proxy that the environment names", async () => {
  using result = await judged(NAIVE, ["--json"], { http_proxy: "http://127.0.0.1:1" });
  expect(result.stderr).not.toContain("unexpected");
  const { runs } = JSON.parse(result.stdout) as Judged;
  expect(runs.find(({ name }) => name === "undisturbed")?.requests).toBeGreaterThan(1);
});

test("--json, --junit and --badge say the same, and a threshold decides", async () => {
  const files = ["--junit", "judged.xml", "--badge", "judged.svg"];
  using result = await judged(NAIVE, ["--json", "--threshold", "7", ...files]);
  expect(result.exitCode).toBe(0);
  const { score, threshold, runs, rules } = JSON.parse(result.stdout) as Judged;
  expect(threshold).toBe(7);
  expect(runs.map(({ name }) => name)).toEqual([
    "undisturbed",
    "without deprecation",
    "broken connections",
    "outages",
    "refusals",
  ]);
  const of = (verdict: string) => rules.filter((rule) => rule.verdict === verdict).map(({ id }) => id);
  expect(of("passed")).toContain("key-in-header");
  for (const id of ["survives-outages", "keyed-creates", "exact-integers", "follows-links"])
    expect(of("failed")).toContain(id);
  expect(score).toBe(Math.floor((100 * of("passed").length) / rules.length));
  const xml = result.read("judged.xml");
  expect(xml).toContain(`tests="${rules.length}" failures="${of("failed").length}"`);
  expect(xml.match(/<testcase /g)?.length).toBe(rules.length);
  expect(result.read("judged.svg")).toContain(`client judged: ${score} of 100`);
});

test("a rule that is skipped does not count, and an existing file stays", async () => {
  using result = await judged("await fetch(process.env.ANIMAL_STORE_URL + '/pets')", [
    "--json",
    "--skip",
    "succeeds, key-in-header",
    "--threshold",
    "0",
  ]);
  const { rules } = JSON.parse(result.stdout) as Judged;
  expect(rules.find(({ id }) => id === "succeeds")?.verdict).toBe("skipped");
  using other = await judged("", ["--junit", "client.mjs"]);
  expect(other.exitCode).toBe(1);
  expect(other.stderr).toContain("client.mjs already exists; name another file, or add --force");
  expect(other.read("client.mjs")).toBe("");
});

test("a command that sends nothing is not judged", async () => {
  using result = await judged("");
  expect(result.exitCode).toBe(3);
  expect(result.stderr).toContain("the command sent no request");
});

test("a command that takes too long is stopped with all that it started", async () => {
  const program = `
const child = Bun.spawn(["sleep", "1000"]);
await Bun.write("pid", String(child.pid));
await fetch(process.env.ANIMAL_STORE_URL + "/pets").catch(() => {});
await child.exited;
`;
  using result = await judged(program, ["--timeout", "1"]);
  expect(result.exitCode).toBe(1);
  expect(result.stdout).toContain("undisturbed: the command took too long and was stopped");
  await until(() => !existsSync(`/proc/${result.read("pid")}`));
});

test("Ctrl+C stops the command and leaves nothing behind", async () => {
  using folder = temporaryFolder();
  const script = "echo $$ > new-pid; mv new-pid pid; sleep 1000";
  const args = ["sandbox", "judge", "--", "sh", "-c", script];
  await using child = new Child([...TIED, PROGRAM, ...args], {
    cwd: folder.path,
    env: { PATH: process.env.PATH, TMPDIR: folder.path },
  });
  await until(() => existsSync(join(folder.path, "pid")));
  child.kill("SIGINT");
  expect(await child.exited).toBe(130);
  expect(child.errors).toContain("interrupted. The client is not judged");
  const pid = readFileSync(join(folder.path, "pid"), "utf8").trim();
  await until(() => !existsSync(`/proc/${pid}`));
  expect(readdirSync(folder.path)).toEqual(["pid"]);
});

test.each([
  [["--threshold", "101"], '--threshold is "101"; it must be a whole number from 0 to 100.'],
  [["--timeout", "0"], '--timeout is "0"; it must be a whole number from 1 to 3600.'],
  [["--skip", "etag"], '--skip is "etag"; it must name some of succeeds,'],
])("%p is refused before anything runs", async (options, message) => {
  using result = await judged("await Bun.write('ran', '')", options);
  expect(result.exitCode).toBe(2);
  expect(result.stderr).toContain(message);
  expect(result.added()).toEqual([]);
});

test("a command that does not exist is named", async () => {
  using folder = temporaryFolder();
  const { exitCode, stderr } = await run(["sandbox", "judge", "--", "./nothing"], { cwd: folder.path });
  expect(exitCode).toBe(1);
  expect(stderr).toContain("cannot run ./nothing: ");
});
