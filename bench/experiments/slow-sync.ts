import { join } from "node:path";
import { createCall, listCall } from "../calls.ts";
import { type Contestant, rotate, startContestants } from "../contest.ts";
import type { Section } from "../report/section.ts";
import type { RunningSide } from "../side.ts";
import { animalStore, OURS } from "../sides/animal-store.ts";
import { spread } from "../spread.ts";
import type { Experiment } from "./experiment.ts";
import {
  highestRate,
  LATENCY_COLUMNS,
  type LatencySample,
  latencyLength,
  latencyNotes,
  latencyRow,
  measureLatency,
} from "./latency.ts";

const DELAY_MS = 20;
const TITLE = `How long answers take where each sync takes ${DELAY_MS} ms more: 90 lists to 10 creates, in an open model`;

/** What a store may call for a sync: the runtime's SQLite takes the latter. */
const SYNCS = "fdatasync,fsync";

/** The kernel stops it at no other system call, so all else is as fast as without. */
const STRACE = ["strace", "--follow-forks", "--seccomp-bpf", "--quiet=all", `--trace=${SYNCS}`].concat(
  `--inject=${SYNCS}:delay_exit=${DELAY_MS * 1000}`,
);

/** A disk that is slow must slow creates, and nothing else. */
export const slowSync: Experiment = {
  name: "slow-sync",
  about: `how long lists take while each sync takes ${DELAY_MS} ms more`,
  async run(context): Promise<Section> {
    const section = { name: "slow-sync", title: TITLE, columns: LATENCY_COLUMNS };
    const reason = unusable();
    if (reason) return { ...section, notes: [`Left out: ${reason}`], rows: [], findings: [] };
    await using stack = new AsyncDisposableStack();
    const under = [...STRACE, `--output=${join(context.folder, "strace.log")}`];
    const slow = animalStore({ name: `animal-store, syncs of ${DELAY_MS} ms`, under });
    const kinds = (side: RunningSide) => [listCall(side), createCall(side)];
    const { all } = await startContestants({ sides: [OURS, slow], animals: 1000, kinds }, context, stack);
    const [ours] = all as [Contestant];
    const rate = (await highestRate(ours.running, context)) / 2;
    const samples = new Map<Contestant, LatencySample[]>(all.map((each) => [each, []]));
    const length = latencyLength(context);
    for (let round = 0; round < length.rounds; round++) {
      for (const each of rotate(all, round)) {
        const sample = await measureLatency(each.running, rate, length.seconds);
        samples.get(each)?.push(sample);
        const p99 = sample.list.latency.p99.toFixed(2);
        context.tell(
          `slow-sync, round ${round + 1} of ${length.rounds}: ${each.side.name} lists within ${p99} ms (p99)`,
        );
      }
    }
    const slowed = samples.get(all[1] as Contestant) ?? [];
    const fastest = Math.min(...slowed.map(({ create }) => create.latency.p50));
    if (fastest < DELAY_MS) throw new Error(`creates took ${fastest} ms: their syncs were not slowed`);
    return {
      ...section,
      notes: [...samples].flatMap(([{ side }, runs]) => latencyNotes(side.name, runs)),
      rows: [...samples].map(([{ side }, runs]) => latencyRow(side, runs)),
      findings: [
        {
          what: `slow-sync: ours, lists while each sync takes ${DELAY_MS} ms more, p99 ms`,
          value: spread(slowed.map(({ list }) => list.latency.p99)),
          digits: 2,
          aim: { atMost: 5 },
        },
      ],
    };
  },
};

function unusable(): string | undefined {
  if (!Bun.which("strace")) return "strace is not installed (on Debian: apt-get install strace).";
  const { success, stderr } = Bun.spawnSync([...STRACE, "--output=/dev/null", "true"]);
  return success ? undefined : `strace cannot be used here: ${stderr.toString().trim()}`;
}
