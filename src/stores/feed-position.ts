/**
 * Whether a reader may go on after a position: it is that of an event, or that of the newest one that is gone. A position
 * of neither was lost, for example with a server whose standby took over without it.
 */
export function isInFeed(position: bigint, expiredThrough: bigint, isOfEvent: boolean): boolean {
  return position === expiredThrough || (position > expiredThrough && isOfEvent);
}
