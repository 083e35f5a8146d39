import { creates, retries } from "./create-cases.ts";
import { events } from "./event-cases.ts";
import { gets } from "./get-cases.ts";
import { keys } from "./key-cases.ts";
import { lists } from "./list-cases.ts";
import { orders } from "./order-cases.ts";
import { orderLists } from "./order-list-cases.ts";
import { refusals } from "./refusal-cases.ts";
import type { Group } from "./session.ts";

/** The groups of requests that need nothing but a service, in their order. */
export const GROUPS: readonly Group[] = [
  creates,
  retries,
  lists,
  gets,
  orders,
  orderLists,
  keys,
  events,
  refusals,
];
