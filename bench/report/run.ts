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
  return { date, commit: commitOf(HERE), rounds, seconds, load: machine.load, generator: generatorName() };
}

/** The commit that is measured; a checkout with changes is marked as dirty. */
function commitOf(root: string): string {
  const { success, stdout } = Bun.spawnSync(["git", "-C", root, "describe", "--always", "--dirty"]);
  return success ? stdout.toString().trim() : "unknown";
}
