import type { Outcome } from "../check.ts";

/** One run of `animal-store verify`. */
export interface Verification {
  /** The stores or the service under test, in words. */
  readonly subject: string;
  readonly seed: number | undefined;
  /** How long the run takes, in words. */
  readonly duration: string;
  readonly outcomes: AsyncGenerator<Outcome>;
  /** The command that repeats a check. */
  repeatCommand(check: string): string;
  /** Sentences about what the run leaves behind. */
  left(): readonly string[];
  /** Ends whatever still runs, and removes everything that the run made. */
  end(): Promise<void>;
}

/** Receives how far a check has come: from 0 to 1, and how many of its units are done. */
export type ReportProgress = (check: string, unit: string, part: number, count: number) => void;
