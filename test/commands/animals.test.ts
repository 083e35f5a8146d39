import { onSqlite } from "../support/engines.ts";
import { animalsOn } from "./animals-on.ts";

// On PostgreSQL it is suites/commands/animals.test.ts.
onSqlite(animalsOn);
