export const ENVIRONMENTS = ["production", "staging"] as const;

/** The environment that a service runs in. */
export type Environment = (typeof ENVIRONMENTS)[number];
