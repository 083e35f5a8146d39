import { expect, test } from "bun:test";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { Child } from "../../verify/child.ts";
import { temporaryFolder } from "../support/folder.ts";
import { TIED, workersOf } from "../support/program.ts";

const ROOT = join(import.meta.dir, "../..");

/** A supervisor signals the process that it started, which is npm; a shell between the two would swallow the signal. */
test("SIGTERM to `npm start` stops the service before npm exits", async () => {
  using folder = temporaryFolder();
  const { PATH = "", HOME = "" } = process.env;
  const DATABASE_URL = `sqlite:${join(folder.path, "store.db")}`;
  await using npm = new Child([...TIED, "npm", "start", "--", "--port", "0"], {
    cwd: ROOT,
    env: { PATH, HOME, DATABASE_URL },
  });
  let service: number | undefined;
  try {
    await npm.says('"msg":"listening');
    service = lastDescendantOf(npm.pid);
    npm.kill("SIGTERM");
    await npm.exited;
    expect(existsSync(`/proc/${service}`)).toBe(false);
  } finally {
    if (service !== undefined && existsSync(`/proc/${service}`)) process.kill(service, "SIGKILL");
  }
});

function lastDescendantOf(pid: number): number {
  const [child] = workersOf(pid);
  return child === undefined ? pid : lastDescendantOf(child);
}
