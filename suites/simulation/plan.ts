import type { Fault } from "./cluster.ts";
import { Random } from "./random.ts";

/** Everything that a run depends on: the same plan gives the same run. */
export interface Plan {
  readonly seed: number;
  readonly virtualMs: number;
  /**
   * `traders` are the clients of `verify`, whose history must fit one order; `readers` read, create and follow the feed while
   * an operator changes animals and keys, and while what was acknowledged may be lost by an operator's hand; `watchers` do
   * the same, and create nothing, so that no commit tells their instance of a promotion.
   */
  readonly clients: "traders" | "readers" | "watchers";
  /** Whether commits wait for a standby. */
  readonly waits: boolean;
  /** Whether the instances record events, which readers follow by pages and as streams. */
  readonly records: boolean;
  /** Until when readers and the operator change nothing, in milliseconds. */
  readonly quietMs: number;
  readonly faults: readonly { readonly at: number; readonly fault: Fault }[];
}

const HARMLESS = [
  "delayStandby",
  "delayStandby",
  "isolateStandby",
  "replaceStore",
  "replaceCluster",
  "rebuildStandby",
  "rebuildStandby",
  "restartPrimary",
  "stopPrimary",
  "promote",
  "slowDisk",
  "loseConnections",
] as const;
/** What takes acknowledged animals along, or lets a replaced primary answer for a moment. */
const HARMFUL = ["restorePrimary", "restorePrimary", "restoreKeys", "split", "split", "cancelWait"] as const;

/** What chance alone would seldom bring together, and how likely each is. */
const RARE: readonly { readonly faults: readonly Fault[]; readonly probability: number }[] = [
  { faults: ["split", "split", "rebuildStandby"], probability: 0.15 },
  { faults: ["restorePrimary", "delayStandby"], probability: 0.1 },
  { faults: ["isolateStandbys", "cancelWait", "cancelWait"], probability: 0.15 },
  { faults: ["isolateStandbys", "promote"], probability: 0.1 },
  { faults: ["delayStandby", "stopPrimary"], probability: 0.1 },
  { faults: ["split", "loseConnections", "loseConnections"], probability: 0.15 },
  { faults: ["restoreKeys", "delayStandby"], probability: 0.1 },
  { faults: ["restoreCreates"], probability: 0.1 },
];

/** Until when nothing changes in a quiet plan, in milliseconds. */
const QUIET_MS = 2000;

/** The plan of a seed. */
export function planOf(seed: number, virtualMs: number): Plan {
  const random = new Random(seed);
  const clients: Plan["clients"] = random.pick(["traders", "readers", "readers", "watchers"]);
  let kinds: readonly Fault[] = clients === "traders" ? HARMLESS : [...HARMLESS, ...HARMFUL];
  if (clients !== "traders")
    for (const { faults, probability } of RARE) if (random.happens(probability)) kinds = faults;
  const isQuiet = random.happens(0.2);
  // What a copy has left says nothing of what a store contains: another one looks the same until the first change.
  const faults: Plan["faults"][number][] = isQuiet ? [{ at: 0, fault: "replaceStore" }] : [];
  for (let at = random.between(0, 2000); at < virtualMs; at += random.between(300, 3000))
    faults.push({ at: Math.round(at), fault: random.pick(kinds) as Fault });
  const waits = clients === "traders" || random.happens(0.6);
  const records = random.happens(0.6);
  return {
    seed,
    virtualMs,
    clients,
    waits,
    records,
    quietMs: isQuiet ? QUIET_MS : 0,
    faults,
  };
}

/**
 * Shortens a plan that fails as long as it still fails: without what happens later, then without each fault.
 *
 * @param fails runs a plan; returns when it fails, in milliseconds, or `undefined`
 */
export async function shortened(
  plan: Plan,
  fails: (plan: Plan) => Promise<number | undefined>,
): Promise<Plan> {
  let shortest = plan;
  const tryPlan = async (next: Plan) => {
    const failed = await fails(next);
    if (failed === undefined) return;
    const virtualMs = Math.ceil(Math.min(next.virtualMs, failed + 1));
    shortest = { ...next, virtualMs, faults: next.faults.filter(({ at }) => at <= virtualMs) };
  };
  await tryPlan(plan);
  for (let at = shortest.faults.length - 1; at >= 0; at--)
    await tryPlan({ ...shortest, faults: shortest.faults.filter((_, each) => each !== at) });
  return shortest;
}
