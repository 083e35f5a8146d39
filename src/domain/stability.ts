/** From the most stable to the least. */
export const STABILITIES = ["stable", "beta", "experimental"] as const;

export type Stability = (typeof STABILITIES)[number];

/** Whether a service that offers nothing less stable than `least` offers `stability`. */
export function isOffered(stability: Stability, least: Stability): boolean {
  return STABILITIES.indexOf(stability) <= STABILITIES.indexOf(least);
}
