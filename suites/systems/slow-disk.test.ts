import { expect, test } from "bun:test";
import { Caller, startCreate } from "../../test/support/caller.ts";
import { temporaryFolder } from "../../test/support/folder.ts";
import { requiredProgram } from "../../test/support/installed-programs.ts";
import { serve } from "../../test/support/program.ts";

const CREATES = 5;
/** Lists answered while a create waits, on average: if reads waited for the disk, there would be one or two. */
const LISTS_MEANWHILE = 5;

test("lists are answered while each sync takes a second longer", async () => {
  using folder = temporaryFolder();
  const slowSyncs = ["-e", "trace=fdatasync,fsync", "-e", "inject=fdatasync,fsync:delay_exit=1000000"];
  // -D: the service is our child, as it would be untraced, and the tracer ends with it.
  const before = [requiredProgram("strace"), "-D", "-f", "-qq", "-o", "/dev/null", ...slowSyncs];
  await using service = await serve({ cwd: folder.path, before });
  const caller = new Caller(service);
  await caller.list();
  let lists = 0;
  for (let create = 0; create < CREATES; create++) {
    const creating = startCreate(service, `slow ${create}`);
    while (!creating.answered()) {
      await (await caller.list("limit=20")).arrayBuffer();
      lists++;
    }
    expect((await creating.answer).status).toBe(201);
  }
  expect(lists).toBeGreaterThan(CREATES * LISTS_MEANWHILE);
});
