export const ENVIRONMENTS = ["production", "staging"] as const;

/** Which of the two running services this is. */
export type Environment = (typeof ENVIRONMENTS)[number];
