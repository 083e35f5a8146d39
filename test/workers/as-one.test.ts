import { behaveAsOne } from "../support/as-one.ts";
import { startWorkers } from "../support/instances.ts";

behaveAsOne((clients) => startWorkers(clients));
