/** The program broken on purpose, by one change to its source, and the test that must notice. */
export interface Mutant {
  /** What is broken, in words. */
  readonly breaks: string;
  /** The source file, from the repository's root. */
  readonly file: string;
  /** A text that stands in the file exactly once. */
  readonly from: string;
  /** What stands there in its place. */
  readonly to: string;
  /** The test file that must fail, from the repository's root. */
  readonly noticedBy: string;
  /** A part of the title of the test that must fail. */
  readonly title: string;
}
