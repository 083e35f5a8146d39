/**
 * Why a relay ended by itself: the target wants no more events, or has refused an event for too long; the service refuses to be
 * read; the feed does not continue at the position, or the position is another store's, or the event of a replay is not there.
 */
export type Why = "gone" | "undelivered" | "refused" | "feed_lost" | "foreign_position" | "replay_unknown";

/** A relay cannot go on. Its message says so to the operator, and what to do. */
export class RelayEnd extends Error {
  readonly why: Why;

  constructor(why: Why, message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = "RelayEnd";
    this.why = why;
  }
}
