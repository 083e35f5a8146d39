/** The operations of the service, with what breaks and what is put off in the runs with faults. */
const BREAKS = {
  listPets: "reset",
  createPet: "lost",
  getPet: "cut",
  placeOrder: "lost",
  updateOrder: "lost",
  listOrders: "reset",
  getOrder: "cut",
  getKey: "reset",
  listEvents: "reset",
} as const;

const OUTAGES = {
  listPets: "429",
  createPet: "503",
  getPet: "502",
  placeOrder: "502",
  updateOrder: "503",
  listOrders: "503",
  getOrder: "429",
  getKey: "503",
  listEvents: "503",
} as const satisfies Record<keyof typeof BREAKS, string>;

/** A run of a client's command, by what happens to its requests. */
export type RunName = "undisturbed" | "without deprecation" | "broken connections" | "outages" | "refusals";

/** What a judge arranges for a run. */
interface Arrangement {
  readonly name: RunName;
  /** As the control interface of a sandbox takes them. */
  readonly faults: readonly object[];
}

/**
 * The runs of a judgement. In those with faults the first request of each operation meets its fault, and the second
 * succeeds. A client that gives up after one kind of fault meets the other kinds all the same. In the second run no
 * operation is deprecated, so that a program which always says so is found out.
 */
export const RUNS: readonly Arrangement[] = [
  { name: "undisturbed", faults: [] },
  { name: "without deprecation", faults: [] },
  { name: "broken connections", faults: firstOfEach((operation) => BREAKS[operation]) },
  { name: "outages", faults: firstOfEach((operation) => OUTAGES[operation]) },
  { name: "refusals", faults: firstOfEach(refusalOf) },
];

/** Any valid key may ask what it is, so that operation refuses no key. */
function refusalOf(operation: keyof typeof BREAKS): string | undefined {
  return operation === "getKey" ? undefined : "403";
}

function firstOfEach(faultOf: (operation: keyof typeof BREAKS) => string | undefined): object[] {
  const operations = Object.keys(BREAKS) as (keyof typeof BREAKS)[];
  return operations.flatMap((operation) => {
    const fault = faultOf(operation);
    return fault === undefined ? [] : [{ fault, operation, count: 1 }];
  });
}
