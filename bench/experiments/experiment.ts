import type { Section } from "../report/section.ts";
import type { SharedParts } from "../shared-parts.ts";
import type { Side } from "../side.ts";

/** A measurement with one table as its result. */
export interface Experiment {
  readonly name: string;
  /** The question that it answers, in a few words. */
  readonly about: string;
  /** Whether its runs may be slices of a fraction of a second. */
  readonly inSlices?: true;
  run(context: Context): Promise<Section>;
}

export interface Context {
  /** The length of one run of one side. */
  readonly seconds: number;
  /** The number of runs of each side. */
  readonly rounds: number;
  /** Whether the servers from `bench/package.json` take part. */
  readonly peers: boolean;
  /** Two versions, which then replace all other sides. */
  readonly versions: readonly Side[] | undefined;
  /** The round-trip time that a proxy adds, in milliseconds; 0 for no proxy. */
  readonly delay: number;
  /** An empty folder for this experiment. */
  readonly folder: string;
  readonly shared: SharedParts;
  /** Reports progress. */
  log(progress: string): void;
}
