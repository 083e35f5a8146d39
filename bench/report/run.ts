import { generatorName } from "../load/drive.ts";
import type { Machine } from "../machine.ts";
import { HERE } from "../program.ts";
import type { Run } from "./section.ts";

interface Length {
  readonly machine: Machine;
  readonly rounds: number;
  readonly seconds: number;
}

/** Describes a run that begins now. */
export function describeRun({ machine, rounds, seconds }: Length): Run {
  const date = new Date().toISOString().slice(0, 10);
  const generator = generatorName(seconds);
  return { date, commit: commitOf(HERE), rounds, seconds, load: machine.load, generator };
}

/** What decides about the figures: changes to anything else do not make a checkout dirty. */
const PROGRAM = ["bin", "src", "csv", "sandbox", "relay", "web", "client", "bench", "package-lock.json"];

/** The commit that is measured, with a mark when its program or the bench has changes. */
function commitOf(root: string): string {
  const git = (...args: string[]) => Bun.spawnSync(["git", "-C", root, ...args]);
  const { success, stdout } = git("rev-parse", "--short", "HEAD");
  if (!success) return "unknown";
  const changes = git("status", "--porcelain", "--", ...PROGRAM).stdout.length > 0;
  return `${stdout.toString().trim()}${changes ? " with changes" : ""}`;
}
