import { expect, test } from "bun:test";
import { closeSync, openSync } from "node:fs";
import { join } from "node:path";
import { temporaryFolder } from "../../test/support/folder.ts";
import { freePort } from "../../test/support/free-port.ts";
import { Metrics } from "../../test/support/metrics.ts";
import { PROGRAM, TIED } from "../../test/support/program.ts";

test("a log reader that does not read delays no request and no stop", async () => {
  using folder = temporaryFolder();
  const pipe = join(folder.path, "pipe");
  expect(Bun.spawnSync(["mkfifo", pipe]).exitCode).toBe(0);
  // Open for both, so that to open it waits for nobody; what is written to it is never read.
  const unread = openSync(pipe, "r+");
  const [port, metricsPort] = [freePort(), freePort()];
  const child = Bun.spawn(
    [
      ...TIED,
      PROGRAM,
      "serve",
      "--port",
      `${port}`,
      "--first-key",
      "./key",
      "--log-requests",
      "true",
      "--metrics-port",
      `${metricsPort}`,
    ],
    { cwd: folder.path, env: { PATH: process.env.PATH ?? "" }, stdout: unread, stderr: "pipe" },
  );
  try {
    const ask = (path: string) => fetch(`http://127.0.0.1:${port}${path}`);
    while (!(await ask("/livez").catch(() => undefined))?.ok) await Bun.sleep(20);
    // A pipe takes 64 KiB, and 1 MiB waits for it; the lines of these are more.
    for (let count = 0; count < 2000; count++) expect((await ask(`/${"x".repeat(500)}`)).status).toBe(404);
    const metrics = await Metrics.at(`http://127.0.0.1:${metricsPort}/metrics`);
    const dropped = metrics.sum("animal_store_log_lines_dropped_total");
    expect(dropped).toBeGreaterThan(0);
    expect(dropped).toBeLessThan(2000);
    child.kill("SIGTERM");
    expect(await child.exited).toBe(0);
    expect(await new Response(child.stderr).text()).toBe("");
  } finally {
    child.kill("SIGKILL");
    await child.exited;
    closeSync(unread);
  }
});
