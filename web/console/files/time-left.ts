const MINUTE_SECONDS = 60;
/** A longer time is told in minutes. */
const LONG_SECONDS = 90;

/** How long the rest of a work takes at its present rate, in words; empty until there is a rate. */
export function timeLeft(done: number, rest: number, seconds: number): string {
  if (done === 0 || seconds < 1) return "";
  const left = Math.max(1, Math.round((rest * seconds) / done));
  return left > LONG_SECONDS ? `about ${Math.round(left / MINUTE_SECONDS)} min left` : `about ${left} s left`;
}
