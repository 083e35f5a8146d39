import { expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { Caller } from "./support/caller.ts";
import { temporaryFolder } from "./support/folder.ts";
import { serve } from "./support/program.ts";

const CREATES = 50;

const strace = Bun.which("strace");
if (process.env.CI && !strace) throw new Error("CI must bring strace: this promise is tested with it");

// A killed process loses nothing that the kernel has; a power cut does. Only the system calls tell them apart.
test.skipIf(!strace)(
  "each create is answered after a sync that followed its request (needs strace)",
  async () => {
    using folder = temporaryFolder();
    const log = join(folder.path, "calls");
    const calls = "trace=fdatasync,fsync,/^(write|send|recv|read)";
    const before = [strace as string, "-D", "-f", "-qq", "-s", "24", "-o", log, "-e", calls];
    await using service = await serve({ cwd: folder.path, before });
    const caller = new Caller(service);
    for (let create = 0; create < CREATES; create++) {
      expect((await caller.create(`${create}`)).status).toBe(201);
    }
    service.kill("SIGTERM");
    await service.exited;
    // The tracer may write its last lines after that.
    while (orderIn(log).split("answer").length <= CREATES) await Bun.sleep(10);
    expect(orderIn(log).match(/request sync answer/g)).toHaveLength(CREATES);
  },
  30_000,
);

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
