import { expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { Caller } from "../../test/support/caller.ts";
import { temporaryFolder } from "../../test/support/folder.ts";
import { requiredProgram } from "../../test/support/installed-programs.ts";
import { serve } from "../../test/support/program.ts";
import { until } from "../../test/support/until.ts";

const CREATES = 50;

// A killed process loses nothing that the kernel has; a power cut does. Only the system calls tell them apart.
test("each create gets its response after a sync that began after its request", async () => {
  using folder = temporaryFolder();
  const log = join(folder.path, "calls");
  const calls = "trace=fdatasync,fsync,/^(write|send|recv|read)";
  const before = [requiredProgram("strace"), "-D", "-f", "-qq", "-s", "24", "-o", log, "-e", calls];
  await using service = await serve({ cwd: folder.path, before });
  const caller = new Caller(service);
  for (let create = 0; create < CREATES; create++) {
    expect((await caller.create(`${create}`)).status).toBe(201);
  }
  service.kill("SIGTERM");
  await service.exited;
  // The tracer may write its last lines after that.
  await until(() => orderIn(log).split("answer").length > CREATES);
  expect(orderIn(log).match(/request sync answer/g)).toHaveLength(CREATES);
});

/** What happened, in order, with several syncs in a row as one. */
function orderIn(log: string): string {
  const seen = readFileSync(log, "utf8")
    .split("\n")
    .flatMap((line) => {
      if (/(fdatasync|fsync).* = 0$/.test(line)) return "sync";
      if (line.includes('"POST /v1/pets')) return "request";
      return line.includes('"HTTP/1.1 201') ? "answer" : [];
    });
  return seen.join(" ").replace(/(sync )+/g, "sync ");
}
