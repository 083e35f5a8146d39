import type { Patch } from "../../test/support/patch.ts";

/** The program broken on purpose, by one change to its source, and the test that must notice. */
export interface Mutant extends Patch {
  /** What is broken, in words. */
  readonly breaks: string;
  /** The test file that must fail, from the repository's root. */
  readonly noticedBy: string;
  /** A part of the title of the test that must fail. */
  readonly title: string;
}
