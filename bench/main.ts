import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { clients } from "./experiments/clients.ts";
import { deliveries } from "./experiments/deliveries.ts";
import type { Experiment } from "./experiments/experiment.ts";
import { feed } from "./experiments/feed.ts";
import { latency } from "./experiments/latency.ts";
import { orders } from "./experiments/orders.ts";
import { sandbox } from "./experiments/sandbox.ts";
import { SCENARIOS } from "./experiments/scenarios.ts";
import { start } from "./experiments/start.ts";
import { statusChanges } from "./experiments/status-changes.ts";
import { throughput } from "./experiments/throughput.ts";
import { describeMachine } from "./machine.ts";
import { help, type Options, readOptions, WrongUse } from "./options.ts";
import { installPeers } from "./peers/install.ts";
import { GO, RUST } from "./peers/native.ts";
import { writeFigures } from "./report/figures.ts";
import { type Report, renderReport } from "./report/report.ts";
import { describeRun } from "./report/run.ts";
import type { Section } from "./report/section.ts";
import { SharedParts } from "./shared-parts.ts";

const EXPERIMENTS: readonly Experiment[] = [
  ...SCENARIOS.map(throughput),
  ...SCENARIOS.map(clients),
  latency,
  start,
  orders,
  statusChanges,
  feed,
  deliveries,
  sandbox,
];

async function measure(options: Options): Promise<Report> {
  const { seconds, rounds, peers, versions, delay } = options;
  const folder = mkdtempSync(join(tmpdir(), "animal-store-bench-"));
  process.once("exit", () => rmSync(folder, { recursive: true, force: true }));
  if (peers) await installPeers(options.build, console.error);
  if (options.build) for (const peer of [RUST, GO]) await peer.build(console.error);
  const machine = describeMachine();
  const run = describeRun({ machine, rounds, seconds });
  const sections: Section[] = [];
  await using shared = new SharedParts();
  for (const experiment of options.experiments) {
    const own = join(folder, experiment.name);
    mkdirSync(own);
    const context = { seconds, rounds, peers, versions, delay, shared, folder: own, log: console.error };
    const begin = performance.now();
    const section = await experiment.run(context).catch((error) => failure(experiment, error));
    console.error(`${experiment.name} took ${Math.round((performance.now() - begin) / 1000)} s`);
    sections.push({ ...section, run });
    rmSync(own, { recursive: true });
  }
  return { machine, sections };
}

/** The section of an experiment that failed, so that the others are not lost with it. */
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
    const report = await measure(options);
    if (options.json) writeFileSync(options.json, `${JSON.stringify(report, null, 2)}\n`);
    const failed = report.sections.some(({ failed }) => failed);
    if (options.write && !failed) writeFigures(report);
    console.log(`\n${renderReport(report)}`);
    return failed ? 1 : 0;
  } catch (error) {
    console.error(`bench: ${(error as Error).message}`);
    return error instanceof WrongUse ? 2 : 1;
  }
}

process.exitCode = await run(process.argv.slice(2));
