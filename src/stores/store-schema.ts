/** The schema of a store. Its version is the number of its last migration. */
export interface StoreSchema {
  /** 0 if there is no store. */
  readonly version: number;
  /** The version that this program needs. */
  readonly wanted: number;
  /** Migrates the store to the wanted version, creating it if there is none. */
  migrate(): Promise<void>;
  close(): Promise<void>;
}
