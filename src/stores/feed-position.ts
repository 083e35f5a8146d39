/**
 * Whether a reader may continue after a position: it is the position of an event, or of the newest deleted event. Any other
 * position was lost, for example with a primary that failed before its standby had received the event.
 */
export function isInFeed(position: bigint, expiredThrough: bigint, isOfEvent: boolean): boolean {
  return position === expiredThrough || (position > expiredThrough && isOfEvent);
}
