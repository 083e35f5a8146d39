import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Experiment } from "./experiments/experiment.ts";
import { latency, sameRate } from "./experiments/latency.ts";
import { SCENARIOS } from "./experiments/scenarios.ts";
import { sizes } from "./experiments/sizes.ts";
import { slowSync } from "./experiments/slow-sync.ts";
import { start } from "./experiments/start.ts";
import { throughput } from "./experiments/throughput.ts";
import { workers } from "./experiments/workers.ts";
import { generatorName } from "./load/drive.ts";
import { CONNECTIONS } from "./load/load.ts";
import { describeMachine } from "./machine.ts";
import { help, type Options, readOptions, WrongUse } from "./options.ts";
import { installPeers } from "./peers.ts";
import { writePage } from "./report/page.ts";
import { type Report, renderReport } from "./report/report.ts";
import type { Section } from "./report/section.ts";
import { SharedParts } from "./shared-parts.ts";

const EXPERIMENTS: readonly Experiment[] = [
  ...SCENARIOS.map(throughput),
  latency,
  sameRate,
  slowSync,
  sizes,
  workers,
  start,
];

async function measure(options: Options, args: readonly string[]): Promise<Report> {
  const { seconds, rounds, peers, huge } = options;
  const folder = mkdtempSync(join(tmpdir(), "animal-store-bench-"));
  process.once("exit", () => rmSync(folder, { recursive: true, force: true }));
  if (peers) await installPeers(options.build, console.error);
  const machine = describeMachine();
  const begin = performance.now();
  const sections: Section[] = [];
  await using shared = new SharedParts();
  for (const experiment of options.experiments) {
    const own = join(folder, experiment.name);
    mkdirSync(own);
    const context = { seconds, rounds, peers, huge, shared, folder: own, tell: console.error };
    sections.push(await experiment.run(context).catch((error) => failure(experiment, error)));
    rmSync(own, { recursive: true });
  }
  const command = ["npm run bench", ...(args.length > 0 ? ["--", ...args] : [])].join(" ");
  const date = new Date().toISOString().slice(0, 10);
  return {
    command,
    date,
    machine,
    seconds,
    rounds,
    connections: CONNECTIONS,
    generator: generatorName(),
    minutes: (performance.now() - begin) / 60_000,
    sections,
  };
}

/** What is left to say of an experiment that failed: the others are not lost with it. */
function failure({ name, about }: Experiment, error: Error): Section {
  console.error(`bench: ${name} failed: ${error.stack}`);
  return {
    name,
    title: about,
    notes: [`**Failed**: ${error.message}`],
    columns: [],
    rows: [],
    findings: [],
    failed: true,
  };
}

/** Returns the exit code: 0, 1 for what failed, 2 for wrong use. */
async function run(args: string[]): Promise<number> {
  try {
    const options = readOptions(args, EXPERIMENTS);
    if (options === "help") {
      console.log(help(EXPERIMENTS));
      return 0;
    }
    const report = await measure(options, args);
    if (options.json) writeFileSync(options.json, `${JSON.stringify(report, null, 2)}\n`);
    if (options.write) writePage(report);
    console.log(`\n${renderReport(report)}`);
    return report.sections.some(({ failed }) => failed) ? 1 : 0;
  } catch (error) {
    console.error(`bench: ${(error as Error).message}`);
    return error instanceof WrongUse ? 2 : 1;
  }
}

process.exitCode = await run(process.argv.slice(2));
