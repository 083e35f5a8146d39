import { storeConformance } from "../stores/store-conformance.ts";
import { createSqliteDatabase } from "../support/sqlite-database.ts";
import { openWorkerStore } from "../support/worker-store.ts";

// What a worker has written for it is written as if it did so itself: the same suite as for each engine.
storeConformance("a worker's SQLite", createSqliteDatabase, openWorkerStore);
