import { expect, test } from "bun:test";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { temporaryFolder } from "../support/folder.ts";
import { TIED, workersOf } from "../support/program.ts";

const ROOT = join(import.meta.dir, "../..");

/** A supervisor signals the process that it started, which is npm; a shell between the two would swallow the signal. */
test("SIGTERM to `npm start` stops the service before npm exits", async () => {
  using folder = temporaryFolder();
  const { PATH = "", HOME = "" } = process.env;
  const DATABASE_URL = `sqlite:${join(folder.path, "store.db")}`;
  const npm = Bun.spawn([...TIED, "npm", "start", "--", "--port", "0"], {
    cwd: ROOT,
    env: { PATH, HOME, DATABASE_URL },
    stdout: "pipe",
    stderr: "ignore",
  });
  let service: number | undefined;
  try {
    let output = "";
    for await (const chunk of npm.stdout.values({ preventCancel: true })) {
      output += new TextDecoder().decode(chunk);
      if (output.includes('"msg":"listening')) break;
    }
    service = lastDescendantOf(npm.pid);
    npm.kill("SIGTERM");
    await npm.exited;
    expect(existsSync(`/proc/${service}`)).toBe(false);
  } finally {
    npm.kill("SIGKILL");
    if (service !== undefined && existsSync(`/proc/${service}`)) process.kill(service, "SIGKILL");
  }
});

function lastDescendantOf(pid: number): number {
  const [child] = workersOf(pid);
  return child === undefined ? pid : lastDescendantOf(child);
}
