import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { describeMachine } from "../machine.ts";
import { HERE } from "../program.ts";
import { writeFigures } from "../report/figures.ts";
import { type Report, renderReport } from "../report/report.ts";
import { describeRun } from "../report/run.ts";
import type { Section } from "../report/section.ts";
import { compare } from "./compare.ts";
import { comparisons, INSTANCES } from "./comparisons.ts";
import { measureHeldSnapshot } from "./held-snapshot.ts";
import { setUp } from "./stage.ts";
import { measureStandbys } from "./standbys.ts";

const PARTS = ["list", "get", "create", "mix"];
const HELD_SNAPSHOT = "held-snapshot";
const STANDBYS = "standbys";

const HELP = `Compares Animal Store on PostgreSQL with pgbench, which does the same statements on the same server in
the same run: lists, gets, creates and a mix, with one, two and four instances. Needs wrk and pgbench. The server is the one
that npm brings, or the one whose programs are in the folder that TEST_POSTGRES_BIN names.

  --rounds N     how often each side is measured (5)
  --seconds N    for how long each time (3)
  --only NAMES   some of ${PARTS.join(", ")}, with commas between; or ${HELD_SNAPSHOT}, which measures lists and creates
                 while another client holds a snapshot; or ${STANDBYS}, which measures uncached pages with and without
                 reads from two standbys, on the distribution's PostgreSQL
  --against DIR  another checkout of this program, with node_modules, to measure beside this one (${HELD_SNAPSHOT})
  --commits N    made while the snapshot is held (300000)
  --write        puts the result into docs/performance.json and into the pages that show it`;

async function main(): Promise<number> {
  const { values } = parseArgs({
    options: {
      rounds: { type: "string", default: "5" },
      seconds: { type: "string", default: "3" },
      only: { type: "string", default: PARTS.join(",") },
      against: { type: "string" },
      commits: { type: "string", default: "300000" },
      write: { type: "boolean", default: false },
      help: { type: "boolean", default: false },
    },
  });
  if (values.help) {
    console.log(HELP);
    return 0;
  }
  const rounds = Number(values.rounds);
  const seconds = Number(values.seconds);
  const commits = Number(values.commits);
  if ([rounds, seconds, commits].some((count) => !Number.isInteger(count) || count < 1)) {
    console.error("bench: --rounds, --seconds and --commits must be whole numbers from 1 on");
    return 2;
  }
  const only = values.only.split(",");
  const held = values.only === HELD_SNAPSHOT;
  const standbys = values.only === STANDBYS;
  if (!held && !standbys && only.some((name) => !PARTS.includes(name))) {
    console.error(`bench: --only takes ${PARTS.join(", ")}, or ${HELD_SNAPSHOT}, or ${STANDBYS}`);
    return 2;
  }
  for (const program of held || standbys ? ["wrk"] : ["wrk", "pgbench"]) {
    if (Bun.which(program)) continue;
    console.error(`bench: there is no ${program} on the PATH`);
    return 1;
  }
  const folder = mkdtempSync(join(tmpdir(), "animal-store-bench-postgres-"));
  process.once("exit", () => rmSync(folder, { recursive: true, force: true }));
  if (standbys) {
    console.log(await measureStandbys(rounds, seconds, folder));
    return 0;
  }
  if (held) {
    const checkouts = { ...(values.against && { before: values.against }), now: HERE };
    console.log(await measureHeldSnapshot({ checkouts, commits, rounds, seconds, folder }));
    return 0;
  }
  const machine = describeMachine();
  const run = { ...describeRun({ machine, rounds, seconds }), generator: "wrk and pgbench" };
  await using stage = await setUp(folder, Math.max(...INSTANCES));
  const sections: Section[] = [];
  for (const comparison of comparisons(stage, folder)) {
    if (!only.includes(comparison.name)) continue;
    sections.push({ ...(await compare(stage, comparison, { rounds, seconds })), run });
  }
  const report: Report = { machine, sections };
  if (values.write) writeFigures(report);
  console.log(`\n${renderReport(report)}`);
  return 0;
}

process.exitCode = await main();
