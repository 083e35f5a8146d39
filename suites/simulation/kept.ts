import type { Plan } from "./plan.ts";

/** A plan that has once shown something wrong. */
export interface KeptPlan {
  /** What must hold. */
  readonly shows: string;
  readonly plan: Plan;
}

const READERS = { clients: "readers", waits: true, quietMs: 0 } as const;

export const KEPT: readonly KeptPlan[] = [
  {
    shows: "a standby of another store is not believed, even where no log of either has a row",
    plan: {
      ...READERS,
      seed: 2,
      virtualMs: 2000,
      waits: false,
      quietMs: 2000,
      faults: [{ at: 0, fault: "replaceStore" }],
    },
  },
  {
    shows:
      "nothing that was known counts once the primary goes on from an earlier version, whatever connections last",
    plan: {
      ...READERS,
      seed: 3,
      virtualMs: 12_000,
      waits: false,
      faults: [1500, 3500, 5500, 7500, 9500].map((at) => ({ at, fault: "restorePrimary" as const })),
    },
  },
  {
    shows: "no create is acknowledged by a replaced primary that goes on, whichever standby still follows it",
    plan: {
      ...READERS,
      seed: 4,
      virtualMs: 12_000,
      faults: [
        { at: 500, fault: "split" },
        { at: 6500, fault: "split" },
      ],
    },
  },
  {
    shows: "no create is acknowledged whose wait for a standby was cancelled",
    plan: {
      ...READERS,
      seed: 5,
      virtualMs: 4000,
      faults: [
        { at: 500, fault: "isolateStandbys" },
        { at: 1200, fault: "cancelWait" },
        { at: 1600, fault: "cancelWait" },
      ],
    },
  },
];
