import { eventConformance } from "../../test/stores/event-conformance.ts";
import { orderConformance } from "../../test/stores/order-conformance.ts";
import { storeConformance } from "../../test/stores/store-conformance.ts";
import { createSqliteDatabase } from "../../test/support/database.ts";
import { openWorkerStore } from "../../test/workers/worker-store.ts";

// A store whose writes another process makes keeps every promise of a store that writes by itself. What only shared writes
// can break is in test/workers/shared-writer.test.ts.
storeConformance("a worker's SQLite", createSqliteDatabase, openWorkerStore);
orderConformance("a worker's SQLite", createSqliteDatabase, openWorkerStore);
eventConformance("a worker's SQLite", createSqliteDatabase, openWorkerStore);
