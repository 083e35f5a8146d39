import { eventConformance } from "../stores/event-conformance.ts";
import { createSqliteDatabase } from "../support/database.ts";

eventConformance("SQLite", createSqliteDatabase);
