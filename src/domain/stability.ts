/** From the most stable to the least. */
export const STABILITIES = ["stable", "beta", "experimental"] as const;

export type Stability = (typeof STABILITIES)[number];

/**
 * Whether a service offers operations of a stability.
 *
 * @param least the least stable level that it offers
 */
export function isOffered(stability: Stability, least: Stability): boolean {
  return STABILITIES.indexOf(stability) <= STABILITIES.indexOf(least);
}
