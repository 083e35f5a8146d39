import { distance } from "fastest-levenshtein";

/**
 * The name that was probably meant, the case of its letters aside, where a name is given that does not exist; `undefined` where
 * nothing is near: naming something far would mislead.
 */
export function meantBy(given: string, names: readonly string[]): string | undefined {
  const errors = (name: string) => distance(given.toLowerCase(), name.toLowerCase());
  const [nearest] = [...names].sort((one, other) => errors(one) - errors(other));
  return nearest !== undefined && isTypingError(errors(nearest), given, nearest) ? nearest : undefined;
}

/** By the measure of commander, which suggests commands and flags. */
function isTypingError(errors: number, given: string, name: string): boolean {
  return errors <= 3 && errors < 0.6 * Math.max(given.length, name.length);
}
