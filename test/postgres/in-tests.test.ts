import { expect, test } from "bun:test";
import { chmodSync, cpSync, existsSync, readFileSync, symlinkSync } from "node:fs";
import { dirname, join } from "node:path";
import { temporaryFolder } from "../support/folder.ts";
import { startOwnPostgres } from "../support/postgres.ts";
import { isThere } from "../support/processes.ts";

// The PostgreSQL of a test must not outlive it, however the test ends.

const RUNTIME = join(import.meta.dir, "../../bin/runtime");
const POSTGRES = join(import.meta.dir, "../support/postgres.ts");

interface Started {
  readonly data: string;
  readonly pid: number;
}

/** Runs some lines in another process with a PostgreSQL of its own; resolves once that runs. */
async function startInChild(lines: string, env: Record<string, string> = {}) {
  const script = `
    import { startOwnPostgres } from ${JSON.stringify(POSTGRES)};
    const server = await startOwnPostgres();
    const pid = Number((await Bun.file(server.data + "/postmaster.pid").text()).split("\\n")[0]);
    ${lines}
    console.log(JSON.stringify({ data: server.data, pid }));
    await Bun.sleep(600_000);`;
  const options = { env: { ...process.env, ...env }, stdout: "pipe", stderr: "inherit" } as const;
  const child = Bun.spawn([RUNTIME, "-e", script], options);
  for await (const chunk of child.stdout) {
    const started = JSON.parse(new TextDecoder().decode(chunk)) as Started;
    return { child, ...started, folder: dirname(started.data) };
  }
  throw new Error(`the child ended with ${await child.exited} and said nothing`);
}

for (const [what, lines] of Object.entries({ "": "", ", though it was frozen": "server.freeze();" })) {
  test(`a PostgreSQL and its folder are gone after its test was killed${what}`, async () => {
    const { child, pid, folder } = await startInChild(lines);
    expect([isThere(pid), existsSync(folder)]).toEqual([true, true]);
    child.kill("SIGKILL");
    await child.exited;
    while (isThere(pid) || existsSync(folder)) await Bun.sleep(20);
  });
}

/** What every Linux has, BusyBox or not: no `ps`, no `awk`. */
const EVERYWHERE = ["chmod", "chown", "cp", "dirname", "ipcrm", "rm", "sh", "sleep", "tr", "uname"];

test.skipIf(process.platform !== "linux")(
  "a PostgreSQL and its folder are gone after its test was killed, on a machine without `ps` and `awk`",
  async () => {
    using programs = temporaryFolder();
    // PostgreSQL's user looks there too.
    chmodSync(programs.path, 0o755);
    for (const name of EVERYWHERE) symlinkSync(Bun.which(name) as string, join(programs.path, name));
    const { child, pid, folder } = await startInChild("server.freeze();", { PATH: programs.path });
    child.kill("SIGKILL");
    await child.exited;
    while (isThere(pid) || existsSync(folder)) await Bun.sleep(20);
  },
);

test("a PostgreSQL and its folder are gone after its test took too long", async () => {
  using folder = temporaryFolder();
  const told = join(folder.path, "told");
  const source = `
    import { test } from "bun:test";
    import { startOwnPostgres } from ${JSON.stringify(POSTGRES)};
    // Nothing before the test counts for its limit.
    const server = await startOwnPostgres();
    server.freeze();
    const [pid] = (await Bun.file(server.data + "/postmaster.pid").text()).split("\\n");
    await Bun.write(${JSON.stringify(told)}, JSON.stringify({ data: server.data, pid: Number(pid) }));
    test("it", async () => {
      await using _ = server;
      await new Promise(() => {});
    }, 1000);`;
  await Bun.write(join(folder.path, "some.test.ts"), source);
  const run = Bun.spawn([RUNTIME, "test", "./some.test.ts"], { cwd: folder.path, stderr: "ignore" });
  expect(await run.exited).toBe(1);
  const { data, pid } = (await Bun.file(told).json()) as Started;
  while (isThere(pid) || existsSync(dirname(data))) await Bun.sleep(20);
});

test("a PostgreSQL that was killed leaves no shared memory behind", async () => {
  let segment: string | undefined;
  {
    await using server = await startOwnPostgres();
    const [pid, , , , , , key] = readFileSync(join(server.data, "postmaster.pid"), "utf8").split("\n");
    segment = key?.trim().split(/\s+/)[1];
    expect(segments()).toContain(segment as string);
    if (process.platform === "linux")
      expect(readFileSync(`/proc/${pid}/maps`, "utf8")).not.toContain("/dev/shm/");
    await server.kill();
  }
  expect(segments()).not.toContain(segment as string);
});

/** The ids of all System V shared memory. */
function segments(): string[] {
  const proc = "/proc/sysvipc/shm";
  const listed = existsSync(proc) ? readFileSync(proc, "utf8") : `${Bun.spawnSync(["ipcs", "-m"]).stdout}`;
  return listed.split("\n").map((line) => line.trim().split(/\s+/)[1] ?? "");
}

test("on a machine without PostgreSQL the run fails, and says what to do", async () => {
  using folder = temporaryFolder();
  // A copy of the helpers, with no node_modules above it.
  cpSync(join(import.meta.dir, "../support"), folder.path, { recursive: true });
  const source = `
    import { test } from "bun:test";
    import { startPostgres } from "./postgres.ts";
    const server = await startPostgres();
    test("it", () => {});`;
  await Bun.write(join(folder.path, "some.test.ts"), source);
  const { TEST_DATABASE_URL: _, TEST_POSTGRES_BIN: __, ...env } = process.env;
  const run = Bun.spawnSync([RUNTIME, "test", "./some.test.ts"], { cwd: folder.path, env });
  expect(run.exitCode).toBe(1);
  expect(run.stderr.toString()).toContain(
    `npm has brought no PostgreSQL for ${process.platform}-${process.arch}: run \`npm ci\`, or set TEST_DATABASE_URL`,
  );
});

test.skipIf(process.getuid?.() !== 0)(
  "if PostgreSQL's user may not enter the temporary folder, the run says what to do",
  () => {
    using folder = temporaryFolder();
    const script = `await (await import(${JSON.stringify(POSTGRES)})).startOwnPostgres()`;
    const env = { ...process.env, TMPDIR: folder.path };
    const run = Bun.spawnSync([RUNTIME, "-e", script], { env });
    expect(run.exitCode).toBe(1);
    expect(run.stderr.toString()).toContain("set TMPDIR to a folder that every user may enter");
  },
);
