import { createCall, getCall, listCall, mixedCalls, pageCall } from "../calls.ts";

import type { RunningSide } from "../side.ts";
import { OURS } from "../sides/animal-store.ts";
import { animalStorePostgres } from "../sides/animal-store-postgres.ts";
import { bareConstant } from "../sides/bare-constant.ts";
import { bareMix } from "../sides/bare-mix.ts";
import { bareParser } from "../sides/bare-parser.ts";
import { jsonServer } from "../sides/json-server.ts";
import { nginx } from "../sides/nginx.ts";
import { peersOnSql } from "../sides/peers-on-sql.ts";
import { prism } from "../sides/prism.ts";
import { transactionEach } from "../sides/transaction-each.ts";
import { STATUSES } from "../stock.ts";
import type { Scenario, ScenarioAim } from "./throughput.ts";

const SOME = 1000;
const MANY = 1_000_000;

const peers = [...peersOnSql, jsonServer, prism];

const READ_AIMS: readonly ScenarioAim[] = [
  { to: bareConstant.name, figure: "requestsPerSecond", aim: { atLeast: 0.9 } },
  { to: nginx.name, figure: "cpuPerRequest", aim: { atMost: 1.1 } },
];

/** Far more than a server answers in a run, and than it keeps. */
const PAGES_A_RUN = 150_000;
/** Has no factor in common with `MANY`, so that it comes by every animal, and never by neighbours in turn. */
const STRIDE = 617_183;

/** Pages of one status each, somewhere in the stock, and no page twice before all were asked for. */
function distinctPages(side: RunningSide, run: number) {
  return Array.from({ length: PAGES_A_RUN }, (_, index) => {
    const number = run * PAGES_A_RUN + index;
    const after = (Math.floor(number / STATUSES.length) * STRIDE) % (MANY - 100);
    return pageCall(side, after, STATUSES[number % STATUSES.length]);
  });
}

export const SCENARIOS: readonly Scenario[] = [
  {
    name: "list",
    title: "GET /v1/pets: a page of 20 from a settled store of 1000",
    animals: SOME,
    sides: [OURS, animalStorePostgres, bareConstant, nginx, ...peers],
    kinds: (side) => [listCall(side)],
    calls: (side) => [listCall(side)],
    aims: READ_AIMS,
  },
  {
    name: "get",
    title: "GET /v1/pets/{petId}: one animal from a settled store of 1000",
    animals: SOME,
    sides: [OURS, animalStorePostgres, bareConstant, nginx, ...peers],
    kinds: (side) => [getCall(side, 500)],
    calls: (side) => [getCall(side, 500)],
    aims: READ_AIMS,
  },
  {
    name: "pages",
    title: "GET /v1/pets?status=…&cursor=…: pages of 20 from a store of 1 million, none asked for twice",
    animals: MANY,
    sides: [OURS, animalStorePostgres, bareConstant, ...peersOnSql],
    kinds: (side) => [pageCall(side, 500_000, "pending")],
    calls: distinctPages,
    aims: [{ to: bareConstant.name, figure: "requestsPerSecond", aim: { atLeast: 0.35 } }],
  },
  {
    name: "mix",
    title: "90 pages of 20 to 10 creates",
    animals: SOME,
    sides: [OURS, animalStorePostgres, bareMix, ...peersOnSql],
    kinds: (side) => [listCall(side), createCall(side)],
    calls: mixedCalls,
    aims: [{ to: bareMix.name, figure: "requestsPerSecond", aim: { atLeast: 0.6 } }],
  },
  {
    name: "create",
    title: "POST /v1/pets: an animal, on the disk before the answer",
    animals: SOME,
    sides: [OURS, animalStorePostgres, bareParser, transactionEach, ...peers],
    kinds: (side) => [createCall(side)],
    calls: (side) => [createCall(side)],
    aims: [
      { to: bareParser.name, figure: "requestsPerSecond", aim: { atLeast: 0.5 } },
      { to: transactionEach.name, figure: "requestsPerSecond", aim: { atLeast: 8 } },
    ],
  },
];
