import { expect, test } from "bun:test";
import { closeSync, openSync } from "node:fs";
import { join } from "node:path";
import { temporaryFolder } from "../support/folder.ts";
import { PROGRAM } from "../support/program.ts";

test("one who does not read the log makes no request wait, and no stop", async () => {
  using folder = temporaryFolder();
  const pipe = join(folder.path, "pipe");
  expect(Bun.spawnSync(["mkfifo", pipe]).exitCode).toBe(0);
  // Open for both, so that to open it waits for nobody; what is written to it is never read.
  const unread = openSync(pipe, "r+");
  const port = freePort();
  const child = Bun.spawn(
    [PROGRAM, "serve", "--port", `${port}`, "--first-key", "./key", "--log-requests", "true"],
    { cwd: folder.path, env: { PATH: process.env.PATH ?? "" }, stdout: unread, stderr: "pipe" },
  );
  try {
    const live = (id: string) => fetch(`http://127.0.0.1:${port}/livez`, { headers: { "x-request-id": id } });
    while (!(await live("first").catch(() => undefined))?.ok) await Bun.sleep(20);
    // A pipe takes 64 KiB; this is four times as much.
    for (let count = 0; count < 1000; count++) expect((await live("x".repeat(100))).status).toBe(200);
    child.kill("SIGTERM");
    expect(await child.exited).toBe(0);
    expect(await new Response(child.stderr).text()).toBe("");
  } finally {
    child.kill("SIGKILL");
    await child.exited;
    closeSync(unread);
  }
});

/** A port that was free a moment ago, for a service that cannot say which it picked. */
function freePort(): number {
  const listener = Bun.listen({ hostname: "127.0.0.1", port: 0, socket: { data() {} } });
  const { port } = listener;
  listener.stop(true);
  return port;
}
