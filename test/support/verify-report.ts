import type { Outcome } from "../../src/verify/check.ts";
import type { Run } from "./program.ts";

/** What `verify --json` prints. */
export interface VerifyReport {
  readonly seed: number;
  readonly held: boolean;
  readonly checks: readonly (Outcome & { readonly again?: string })[];
  readonly left: readonly string[];
}

export function reportOf({ stdout, stderr }: Run): VerifyReport {
  if (!stdout.startsWith("{")) throw new Error(`no report: ${stdout}${stderr}`);
  return JSON.parse(stdout) as VerifyReport;
}
