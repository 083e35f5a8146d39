import { creates, retries } from "./creates.ts";
import { events } from "./events.ts";
import { gets } from "./gets.ts";
import { lists } from "./lists.ts";
import { orderLists } from "./order-lists.ts";
import { orders } from "./orders.ts";
import { refusals } from "./refusals.ts";
import type { Group } from "./session.ts";

/** The groups of requests that need nothing but a service, in their order. */
export const GROUPS: readonly Group[] = [creates, retries, lists, gets, orders, orderLists, events, refusals];
