/** The faults of one run: what happens to the first request of each operation; the second succeeds. */
const ATTEMPTS = {
  "broken connections": {
    listPets: "reset",
    createPet: "lost",
    getPet: "cut",
    placeOrder: "lost",
    updateOrder: "lost",
    listOrders: "reset",
    getOrder: "cut",
    listEvents: "reset",
  },
  outages: {
    listPets: "429",
    createPet: "503",
    getPet: "502",
    placeOrder: "502",
    updateOrder: "503",
    listOrders: "503",
    getOrder: "429",
    listEvents: "503",
  },
} as const satisfies Readonly<Record<string, Readonly<Record<string, string>>>>;

/** A run of a client's command, by what happens to its requests. */
export type RunName = "undisturbed" | keyof typeof ATTEMPTS;

/**
 * The runs of a judgement, each with its faults as the control interface of a sandbox takes them. A client that gives up
 * after one kind of fault meets the other kind all the same.
 */
export const RUNS: readonly (readonly [name: RunName, faults: readonly object[]])[] = [
  ["undisturbed", []],
  ...Object.entries(ATTEMPTS).map(
    ([name, faults]) =>
      [
        name as RunName,
        Object.entries(faults).map(([operation, fault]) => ({ fault, operation, count: 1 })),
      ] as const,
  ),
];
