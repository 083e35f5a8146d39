// Sends seeded random bytes, and requests that are nearly right, to a real service of its own, and judges every
// answer by a model of the contract:
//
//   npm run fuzz -- [--requests 1000000] [--seed N] [--connections 32]
//
// It exits with 1 at the first wrong answer and shows the bytes that caused it. It also exits with 1 when the
// service's memory has grown by more than 30 MiB since it was warm.
import { parseArgs } from "node:util";
import { temporaryFolder } from "../test/support/folder.ts";
import type { Failure, Report } from "../verify/fuzz/fuzzer.ts";
import type { Progress } from "../verify/fuzz/tally.ts";
import { startAndFuzz } from "./fuzz/start.ts";

/** Without a leak, nine runs of 140,000 and 300,000 requests ended between 17 MiB below and 11 MiB above. */
const GROWTH_MAX_MIB = 30;
/** Until then the service's memory may still be warming up. */
const WARM_AFTER_REQUESTS = 100_000;
/** The least memory of so many reports is judged, so that they hold several collections however fast the machine is. */
const REPORTS_JUDGED = 3;
/** With fewer, hardly any are left after that. */
const MEMORY_JUDGED_FROM = 300_000;

const { values } = parseArgs({
  options: {
    requests: { type: "string", default: "1000000" },
    seed: { type: "string", default: `${Math.floor(Math.random() * 2 ** 32)}` },
    connections: { type: "string", default: "32" },
  },
});
const requests = wholeNumber("requests");
const seed = wholeNumber("seed");
const connections = wholeNumber("connections");

console.log(`seed ${seed}: ${requests} requests over ${connections} connections`);
const begun = performance.now();
const report = await runAll();
reportCounts(report);
if (report.failure) reportFailure(report.failure);
const growth = growthOf(report);
if (growth) {
  const { warm, last } = growth;
  console.log(`memory: at least ${warm.toFixed(1)} MiB when warm, ${last.toFixed(1)} MiB in the end`);
}
const hasGrown =
  requests >= MEMORY_JUDGED_FROM && growth !== undefined && growth.last - growth.warm > GROWTH_MAX_MIB;
if (hasGrown) console.log(`that is more than ${GROWTH_MAX_MIB} MiB`);
process.exitCode = report.failure || hasGrown ? 1 : 0;

async function runAll(): Promise<Report> {
  using folder = temporaryFolder();
  return await startAndFuzz({ requests, seed, connections, folder: folder.path, onProgress: reportProgress });
}

function wholeNumber(name: keyof typeof values): number {
  if (/^[0-9]{1,15}$/.test(values[name])) return Number(values[name]);
  console.error(`--${name} must be a whole number`);
  process.exit(2);
}

function reportProgress({ requests, animals, memory }: Progress): void {
  const seconds = (performance.now() - begun) / 1000;
  const rate = Math.round(requests / seconds);
  const resident = memory === undefined ? "" : `, ${memory.toFixed(1)} MiB resident`;
  console.log(`${requests} requests in ${seconds.toFixed(0)} s (${rate}/s): ${animals} animals${resident}`);
}

function reportCounts({ counts }: Report): void {
  for (const [kind, outcomes] of [...counts].sort()) {
    const details = [...outcomes].sort().map(([outcome, count]) => `${outcome}: ${count}`);
    console.log(`  ${kind.padEnd(20)} ${details.join(", ")}`);
  }
}

function reportFailure({ kind, why, sent, actual }: Failure): void {
  console.log(`\nFAILED (${kind}): ${why}`);
  console.log(`sent, as Latin-1: ${JSON.stringify(sent.toString("latin1"))}`);
  console.log(`sent, in base64: ${sent.toString("base64")}`);
  if (!actual) return;
  const head = [...actual.headers].map(([name, value]) => `${name}: ${value}`).join("\n  ");
  console.log(`answer: ${actual.status}\n  ${head}\n  ${actual.bytes.toString("latin1").slice(0, 2000)}`);
  console.log(`repeat: npm run fuzz -- --requests ${requests} --seed ${seed} --connections ${connections}`);
}

/** The least memory of the first and of the last reports of a warm service, in MiB, if the system says how much it has. */
function growthOf({ progress }: Report): { warm: number; last: number } | undefined {
  const warm = progress.filter(({ requests }) => requests >= WARM_AFTER_REQUESTS);
  const memory = warm.map(({ memory }) => memory).filter((mib) => mib !== undefined);
  if (memory.length < 2 * REPORTS_JUDGED) return undefined;
  return {
    warm: Math.min(...memory.slice(0, REPORTS_JUDGED)),
    last: Math.min(...memory.slice(-REPORTS_JUDGED)),
  };
}
