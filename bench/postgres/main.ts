import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { rotate } from "../contest.ts";
import { CONNECTIONS } from "../load/load.ts";
import { describeMachine } from "../machine.ts";
import { show, table } from "../report/text.ts";
import { quotients, spread } from "../spread.ts";
import { measureBatches } from "./batches.ts";
import { comparisons, INSTANCES } from "./comparisons.ts";
import { measureHeldSnapshot } from "./held-snapshot.ts";
import type { Comparison, Sample, Side } from "./sample.ts";
import { type Stage, setUp } from "./stage.ts";

const HELP = `Compares Animal Store on PostgreSQL with pgbench, which does the same statements on the same server in
the same run: lists, gets, creates and a mix, with one, two and four instances. Needs wrk and pgbench. The server is the one
that npm brings, or the one whose programs are in the folder that TEST_POSTGRES_BIN names.

  --rounds N   how often each side is measured (5)
  --seconds N  for how long each time (3)
  --only NAME  one part: held-snapshot, which measures lists and creates while another client holds a snapshot
  --before DIR another checkout of this program, with node_modules, to measure beside this one (held-snapshot)
  --commits N  made while the snapshot is held (300000)`;

type Samples = ReadonlyMap<Side, readonly Sample[]>;

async function measure(stage: Stage, side: Side, seconds: number, run: number): Promise<Sample> {
  const before = stage.cpu();
  const { operations, refusals, seconds: took, generatorCpuMicroseconds } = await side.drive(seconds, run);
  // The connections of a pgbench that has ended count once PostgreSQL has seen their end.
  await Bun.sleep(200);
  const after = stage.cpu();
  return {
    perSecond: operations / took,
    serviceCpu: (after.service - before.service) / operations,
    postgresCpu: (after.postgres - before.postgres) / operations,
    generatorCores: generatorCpuMicroseconds / (took * 1e6),
    refusals,
  };
}

/** Lets the sides take turns, after a run of each that only warms up; in each round another goes first. */
async function compare(stage: Stage, { title, sides }: Comparison, rounds: number, seconds: number) {
  const samples = new Map<Side, Sample[]>(sides.map((side) => [side, []]));
  for (let round = 0; round <= rounds; round++) {
    for (const side of rotate(sides, round)) {
      const sample = await measure(stage, side, round === 0 ? 1 : seconds, round);
      if (round > 0) samples.get(side)?.push(sample);
      console.error(`${title}, round ${round} of ${rounds}: ${side.name} ${Math.round(sample.perSecond)}/s`);
    }
  }
  return samples;
}

function render({ title, notes, sides, aims }: Comparison, samples: Samples): string {
  const [first] = sides as [Side];
  const of = (side: Side, figure: keyof Sample) => (samples.get(side) ?? []).map((sample) => sample[figure]);
  const rows = sides.map((side) => {
    const ratio = quotients(of(side, "perSecond"), of(first, "perSecond"));
    const aim = aims[side.name];
    return [
      side.name,
      show(spread(of(side, "perSecond")), 0),
      side === first ? "" : show(ratio, 2),
      aim === undefined ? "" : `${aim} ${ratio.median >= aim ? "met" : "missed"}`,
      show(spread(of(side, "serviceCpu")), 1),
      show(spread(of(side, "postgresCpu")), 1),
      show(spread(of(side, "generatorCores")), 2),
    ];
  });
  const refused = sides.flatMap((side) => {
    const all = of(side, "refusals").reduce((total, count) => total + count, 0);
    return all > 0 ? [`${side.name}: ${all} answers were refusals, which do not count.`] : [];
  });
  const head = [
    "",
    "a second",
    "to the first",
    "aim",
    "service, CPU µs",
    "PostgreSQL, CPU µs",
    "generator, cores",
  ];
  return [`### ${title}`, table(head, rows), ...notes, ...refused].join("\n\n");
}

async function main(): Promise<number> {
  const { values } = parseArgs({
    options: {
      rounds: { type: "string", default: "5" },
      seconds: { type: "string", default: "3" },
      only: { type: "string" },
      before: { type: "string" },
      commits: { type: "string", default: "300000" },
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
  if (values.only !== undefined && values.only !== "held-snapshot") {
    console.error("bench: --only takes held-snapshot");
    return 2;
  }
  for (const program of values.only ? ["wrk"] : ["wrk", "pgbench"]) {
    if (Bun.which(program)) continue;
    console.error(`bench: there is no ${program} on the PATH`);
    return 1;
  }
  const machine = describeMachine();
  const folder = mkdtempSync(join(tmpdir(), "animal-store-bench-postgres-"));
  process.once("exit", () => rmSync(folder, { recursive: true, force: true }));
  if (values.only) {
    const checkouts = {
      ...(values.before && { before: values.before }),
      now: join(import.meta.dir, "../.."),
    };
    console.log(await measureHeldSnapshot({ checkouts, commits, rounds, seconds, folder }));
    return 0;
  }
  await using stage = await setUp(folder, Math.max(...INSTANCES));
  console.log(
    `${machine.processor}, ${machine.cores} cores shared by all; a sync takes ${show(machine.syncMilliseconds, 2)} ms; ` +
      `load ${machine.load} before. PostgreSQL ${stage.version} with its default settings, ${CONNECTIONS} connections, ` +
      `${rounds} rounds of ${seconds} s. Medians, with the least and the greatest in parentheses.`,
  );
  for (const comparison of comparisons(stage, folder)) {
    console.log(`\n${render(comparison, await compare(stage, comparison, rounds, seconds))}`);
  }
  console.log(`\n${await measureBatches(stage.url, rounds)}`);
  return 0;
}

process.exitCode = await main();
