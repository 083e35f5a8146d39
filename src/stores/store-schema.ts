/** The schema of a store. Its version is the number of the last migration that was applied. */
export interface StoreSchema {
  /** 0 where there is no store. */
  readonly version: number;
  /** What this program needs. */
  readonly wanted: number;
  /** Brings the store, made where there is none, to the version that is wanted. */
  migrate(): Promise<void>;
  close(): Promise<void>;
}
