/** A place that search finds. */
export interface SearchEntry {
  /** From the root, without a leading slash. */
  readonly to: string;
  readonly title: string;
  /** What it belongs to: the page's title, or the kind of thing. */
  readonly kind: string;
  readonly text: string;
}
