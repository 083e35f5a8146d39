/**
 * Options for the URL of a PostgreSQL database: the longest statement timeout that a service allows, so that a busy machine does
 * not cause a 503.
 */
export const UNHURRIED = "?statement_timeout=8000";
