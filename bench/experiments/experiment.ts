import type { Section } from "../report/section.ts";
import type { SharedParts } from "../shared-parts.ts";

/** What is measured together, and reported under one title. */
export interface Experiment {
  readonly name: string;
  /** What it finds out, in a few words. */
  readonly about: string;
  run(context: Context): Promise<Section>;
}

export interface Context {
  /** How long a side is measured at a time. */
  readonly seconds: number;
  /** How often. */
  readonly rounds: number;
  /** Whether what comes from `bench/package.json` takes part. */
  readonly peers: boolean;
  /** Whether to measure what takes minutes to prepare. */
  readonly huge: boolean;
  /** An empty folder that is the experiment's own. */
  readonly folder: string;
  readonly shared: SharedParts;
  /** Hears of progress. */
  tell(progress: string): void;
}
