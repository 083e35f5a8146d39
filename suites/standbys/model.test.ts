import { expect, test } from "bun:test";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { temporaryFolder } from "../../test/support/folder.ts";
import { type ServerOptions, startServers } from "../../test/support/postgres/with-standbys.ts";
import { PROGRAM } from "../../test/support/program.ts";
import { LONG_RUN_MS } from "../../test/support/run-limits.ts";
import { modelCheck } from "../../verify/checks/model.ts";
import type { Testbed } from "../../verify/testbed/testbed.ts";
import { Watchdog } from "../../verify/watchdog.ts";
import { shareOf } from "../share.ts";

const BUDGET_MS = 20_000;

const DELAYED = ["recovery_min_apply_delay=50ms"];

/** Each kind of standbys, completing "… standbys". */
const KINDS: readonly (readonly [string, ServerOptions])[] = [
  ["asynchronous", {}],
  ["remote_apply", { synchronous: "ANY 1 (*)", settings: ["synchronous_commit=remote_apply"] }],
  ["50 ms delayed", { standbys: [DELAYED, DELAYED] }],
];

for (const [kind, options] of shareOf(KINDS, "kinds of standbys")) {
  test(
    `one order explains all that clients of two instances see that read from two ${kind} standbys`,
    async () => {
      await using servers = await startServers(options);
      using folder = temporaryFolder();
      let count = 0;
      const testbed = {
        folder: folder.path,
        async fresh() {
          const name = `model_${++count}`;
          await servers.createDatabase(name);
          const own = join(folder.path, name);
          mkdirSync(own);
          return { url: servers.url(name), folder: own, async discard() {} };
        },
      } as unknown as Testbed;
      const watchdog = new Watchdog(folder.path);
      const { PATH = "", HOME = "", TMPDIR = "" } = process.env;
      const environment = { PATH, HOME, ...(TMPDIR && { TMPDIR }), READ_STANDBYS: "true" };
      const { signal } = new AbortController();
      const program = { command: [PROGRAM], environment, watchdog, signal };
      try {
        const progress = () => {};
        const finding = await modelCheck.run({
          seed: 1,
          budgetMs: BUDGET_MS,
          program,
          testbed,
          signal,
          progress,
        });
        expect(finding.verdict).toBe("passed");
      } finally {
        await watchdog.killAll();
      }
    },
    LONG_RUN_MS,
  );
}
