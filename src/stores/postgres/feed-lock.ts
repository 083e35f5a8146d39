/**
 * Locks the feed until the commit. An advisory lock: that of a row would also have to find the row, and write to the log.
 * The function `lock_feed` takes the same one.
 */
export const LOCK_FEED = "pg_advisory_xact_lock(hashtextextended('animal_store.feed', 0))";
