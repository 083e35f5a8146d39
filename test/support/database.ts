/** Where an engine keeps a store of a test's own, and what a test may do to it behind the service's back. */
export interface TestDatabase extends AsyncDisposable {
  /** As `DATABASE_URL` has it. The store is made by whoever opens it first. */
  readonly url: string;
  /** Runs one statement in SQL that every engine understands, as another process would. */
  query<Row>(statement: string): Promise<Row[]>;
  /** Lets ids go on above this one. */
  setLastId(id: bigint): Promise<void>;
  /** Keeps everybody else from writing, until it is let go. */
  lock(): Promise<AsyncDisposable>;
  /** Makes it so that nothing can be read or written, until it is mended. */
  breakDown(): Promise<AsyncDisposable>;
}
