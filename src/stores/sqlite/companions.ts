/** What the names of the files end in that SQLite keeps beside a database: the log, its index with the locks, the journal. */
export const COMPANIONS = ["-wal", "-shm", "-journal"] as const;
