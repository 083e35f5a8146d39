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
import type { Mutant } from "./mutant.ts";

/** All mutants. */
export const MUTANTS: readonly Mutant[] = [
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
