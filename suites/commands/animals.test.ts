import { animalsOn } from "../../test/commands/animals-on.ts";
import { onPostgres } from "../../test/support/engines.ts";

// On SQLite it is test/commands/animals.test.ts.
onPostgres(animalsOn);
