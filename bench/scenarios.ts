import type { Call, Side } from "./side.ts";
import { bareConstant } from "./sides/bare-constant.ts";
import { bareParser } from "./sides/bare-parser.ts";
import { transactionEach } from "./sides/transaction-each.ts";

/** What our requests per second are to be, as a share of another side's. */
export interface Aim {
  /** What we hold by now. */
  readonly now: number;
  /** What the design promises. */
  readonly design: number;
}

/** A request, and the servers that answer it beside ours. */
export interface Scenario {
  readonly name: string;
  readonly title: string;
  readonly call: (key: string) => Call;
  readonly others: readonly { readonly side: Side; readonly aim: Aim }[];
}

const authorization = (key: string) => ({ authorization: `Bearer ${key}` });

/** Adds an animal. */
export const createCall = (key: string): Call => ({
  method: "POST",
  path: "/v1/pets",
  headers: { ...authorization(key), "content-type": "application/json" },
  body: '{"name":"Bruno the Second","categoryId":12,"status":"available"}',
});

const READ_AIM: Aim = { now: 0.8, design: 0.9 };

export const SCENARIOS: readonly Scenario[] = [
  {
    name: "list",
    title: "GET /v1/pets: 20 animals of a settled store",
    call: (key) => ({ method: "GET", path: "/v1/pets", headers: authorization(key) }),
    others: [{ side: bareConstant, aim: READ_AIM }],
  },
  {
    name: "get",
    title: "GET /v1/pets/{petId}: one animal of a settled store",
    call: (key) => ({ method: "GET", path: "/v1/pets/500", headers: authorization(key) }),
    others: [{ side: bareConstant, aim: READ_AIM }],
  },
  {
    name: "create",
    title: "POST /v1/pets: an animal, on the disk before the answer",
    call: createCall,
    others: [
      { side: bareParser, aim: { now: 0.4, design: 0.5 } },
      { side: transactionEach, aim: { now: 6, design: 8 } },
    ],
  },
];
