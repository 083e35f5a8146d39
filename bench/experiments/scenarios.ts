import type { Call } from "../call.ts";
import { createCall, getCall, listCall, mixedCalls, pageCall } from "../calls.ts";
import type { RunningSide, Side } from "../side.ts";
import { OURS, TWO_WORKERS } from "../sides/animal-store.ts";
import { OURS_ON_POSTGRES } from "../sides/animal-store-postgres.ts";
import { jsonServer } from "../sides/json-server.ts";
import { go, rust } from "../sides/native.ts";
import { peersOnSql } from "../sides/peers-on-sql.ts";
import { prism } from "../sides/prism.ts";
import { STATUSES } from "../stock.ts";

/** A load and the servers that it is sent to. */
export interface Scenario {
  readonly name: string;
  readonly title: string;
  readonly animals: number;
  readonly peers: readonly Side[];
  /** One call of each kind in the load: the responses of every side are compared with ours. */
  kinds(side: RunningSide): readonly Call[];
  /** More calls, whose responses must equal ours to the byte where a side claims that. */
  details?(side: RunningSide): readonly Call[];
  /** The calls of a run, which are sent in a circle. @param run the number of earlier runs */
  calls(side: RunningSide, run: number): readonly Call[];
  /** The greatest CPU time for a request that we aim at, as a ratio to the server in Rust. */
  readonly aim: number;
}

/** Ours, and the same service in compiled languages. */
export const NEAREST = [OURS, TWO_WORKERS, OURS_ON_POSTGRES, rust, go] as const;

const SOME = 1000;
const MANY = 1_000_000;

/** Far more than a server answers in a run, and more than a cache holds. */
const CALLS_A_RUN = 150_000;
/** Coprime to every power of ten, so that the calls visit every animal, and never neighbours in a row. */
const STRIDE = 617_183;

/** Pages with a filter from everywhere in the store, none twice until all have been asked for. */
export function distinctPages(side: RunningSide, run: number, animals = MANY): Call[] {
  return Array.from({ length: CALLS_A_RUN }, (_, index) => {
    const number = run * CALLS_A_RUN + index;
    const after = (Math.floor(number / STATUSES.length) * STRIDE) % (animals - 100);
    return pageCall(side, after, STATUSES[number % STATUSES.length]);
  });
}

function distinctAnimals(side: RunningSide, run: number): Call[] {
  return Array.from({ length: CALLS_A_RUN }, (_, index) => {
    return getCall(side, 1 + (((run * CALLS_A_RUN + index) * STRIDE) % MANY));
  });
}

function unchanged(call: Call): Call {
  return { ...call, headers: { ...call.headers, "if-none-match": "*" } };
}

function listed(side: RunningSide, query: string): Call {
  return { ...listCall(side), path: `/v1/pets?${query}` };
}

export const SCENARIOS: readonly Scenario[] = [
  {
    name: "list",
    title: "GET /v1/pets: the first page of 20 from a store of 1000",
    animals: SOME,
    peers: [...peersOnSql, jsonServer, prism],
    kinds: (side) => [listCall(side)],
    details: (side) => [
      listed(side, "limit=3&status=sold"),
      listed(side, "limit=100"),
      unchanged(listCall(side)),
    ],
    calls: (side) => [listCall(side)],
    aim: 0.45,
  },
  {
    name: "pages",
    title: "GET /v1/pets?status=…&cursor=…: pages of 20 from a store of 1 million, none asked for twice",
    animals: MANY,
    peers: peersOnSql,
    kinds: (side) => [pageCall(side, 500_000, "pending")],
    details: (side) => [pageCall(side, MANY - 10, undefined), unchanged(pageCall(side, 500_000, "sold"))],
    calls: distinctPages,
    aim: 1.15,
  },
  {
    name: "get",
    title: "GET /v1/pets/{petId}: animals from a store of 1 million, none asked for twice",
    animals: MANY,
    peers: peersOnSql,
    kinds: (side) => [getCall(side, 500)],
    details: (side) => [getCall(side, MANY), unchanged(getCall(side, 500))],
    calls: distinctAnimals,
    aim: 1.15,
  },
  {
    name: "create",
    title: "POST /v1/pets: an animal, on the disk before the answer",
    animals: SOME,
    peers: [...peersOnSql, jsonServer, prism],
    kinds: (side) => [createCall(side)],
    details: (side) => [{ ...createCall(side), body: '{"name":"Zo\\u00eb \\"é\\"\\n","categoryId":-7}' }],
    calls: (side) => [createCall(side)],
    aim: 1.2,
  },
  {
    name: "mix",
    title: "90 first pages of 20 to 10 creates",
    animals: SOME,
    peers: peersOnSql,
    kinds: (side) => [listCall(side), createCall(side)],
    calls: mixedCalls,
    aim: 0.6,
  },
];
