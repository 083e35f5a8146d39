/** The state of SQLite's write-ahead log. */
export interface WriteAheadLog {
  readonly bytes: number;
  /** How long, at least, a reader has held an earlier state; `undefined` if the system does not say. */
  readonly oldestReaderSeconds: number | undefined;
}
