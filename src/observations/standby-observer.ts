/** Why a read that standbys may answer was left to the primary. */
export const FALLBACK_REASONS = [
  /** No standby could be asked. */
  "none",
  /** It showed less than the primary. */
  "behind",
  /** It showed what the primary did not show yet. */
  "ahead",
  /** It was promoted, or follows another primary. */
  "other_history",
  "late",
  "failed",
] as const;

export type FallbackReason = (typeof FALLBACK_REASONS)[number];

/** Observes reads from standbys. It never throws. */
export interface StandbyObserver {
  /** Called once, with the names of all servers, each of which may become a standby. */
  serves(servers: readonly string[]): void;
  answered(server: string, reads: number): void;
  fellBack(reason: FallbackReason, reads: number): void;
  /** How many revisions a standby lacks that the primary has shown, now and then. */
  lags(server: string, revisions: number): void;
}
