import type { Outcome } from "../../verify/check.ts";
import type { Run } from "../../verify/child.ts";

/** What `verify --json` prints. */
export interface VerifyReport {
  readonly seed: number;
  readonly passed: boolean;
  readonly checks: readonly (Outcome & {
    readonly repeatCommand?: string;
  })[];
  readonly left: readonly string[];
}

export function reportOf({ stdout, stderr }: Run): VerifyReport {
  if (!stdout.startsWith("{")) throw new Error(`no report: ${stdout}${stderr}`);
  return JSON.parse(stdout) as VerifyReport;
}
