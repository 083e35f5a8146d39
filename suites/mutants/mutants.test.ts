import { afterAll, test } from "bun:test";
import { availableParallelism } from "node:os";
import { shareOf } from "../share.ts";
import { CLIENT } from "./catalogue/client.ts";
import { DOMAIN } from "./catalogue/domain.ts";
import { EVENTS } from "./catalogue/events.ts";
import { FILES } from "./catalogue/files.ts";
import { HTTP } from "./catalogue/http.ts";
import { MCP } from "./catalogue/mcp.ts";
import { ORDERS } from "./catalogue/orders.ts";
import { PAGES } from "./catalogue/pages.ts";
import { PROGRAM } from "./catalogue/program.ts";
import { RECEIVERS } from "./catalogue/receivers.ts";
import { RELAY } from "./catalogue/relay.ts";
import { SANDBOX } from "./catalogue/sandbox.ts";
import { STANDBYS } from "./catalogue/standbys.ts";
import { STORES } from "./catalogue/stores.ts";
import { Workshop } from "./workshop.ts";

// A test that cannot fail is a defect. Each test here breaks a copy of the repository on purpose and passes if the test
// that holds the broken promise fails.

/** Most of a run is waiting for processes to start, so one more than there are processors. */
const free = Array.from({ length: availableParallelism() + 1 }, () => new Workshop());
const waiting: ((workshop: Workshop) => void)[] = [];
afterAll(() => {
  for (const workshop of free) workshop[Symbol.dispose]();
});

const ALL = [
  ...CLIENT,
  ...DOMAIN,
  ...HTTP,
  ...MCP,
  ...EVENTS,
  ...STORES,
  ...STANDBYS,
  ...FILES,
  ...ORDERS,
  ...PAGES,
  ...PROGRAM,
  ...RECEIVERS,
  ...RELAY,
  ...SANDBOX,
];

for (const mutant of shareOf(ALL, "mutants")) {
  test.concurrent(`${mutant.noticedBy} notices ${mutant.breaks}`, async () => {
    const workshop = free.pop() ?? (await new Promise<Workshop>((resolve) => waiting.push(resolve)));
    try {
      await workshop.try(mutant);
    } finally {
      const next = waiting.shift();
      if (next) next(workshop);
      else free.push(workshop);
    }
  });
}
