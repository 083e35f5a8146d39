/** The rules about what must be refused: a receiver that accepts everything breaks them all. */
export const REFUSALS = [
  "refuses-forgeries",
  "refuses-changed-bodies",
  "refuses-changed-headers",
  "refuses-missing-headers",
  "refuses-other-versions",
  "refuses-old",
  "refuses-future",
  "refuses-garbage",
  "retired-secret",
];
