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
  {
    shows: "no event gets the id of a lost event that was read before",
    plan: {
      ...READERS,
      seed: 14,
      virtualMs: 9000,
      waits: false,
      faults: [
        { at: 2000, fault: "isolateStandbys" },
        { at: 2300, fault: "promote" },
      ],
    },
  },
  {
    shows: "a promotion is noticed though nobody writes",
    plan: {
      ...READERS,
      clients: "watchers",
      seed: 36,
      virtualMs: 10_000,
      waits: false,
      faults: [{ at: 7198, fault: "split" }],
    },
  },
  {
    shows:
      "a standby of a history that was given up is not believed where both have come to the same numbers",
    plan: {
      ...READERS,
      clients: "watchers",
      seed: 2,
      virtualMs: 3000,
      waits: false,
      faults: [
        { at: 1000, fault: "delayStandby" },
        { at: 1500, fault: "restoreKeys" },
      ],
    },
  },
  {
    shows:
      "what a primary had, and no revision has shown, is not believed of a standby once the primary has lost it",
    plan: {
      ...READERS,
      seed: 83,
      virtualMs: 10_000,
      quietMs: 2000,
      faults: [
        { at: 0, fault: "replaceStore" },
        { at: 1820, fault: "promote" },
        { at: 5949, fault: "delayStandby" },
        { at: 8381, fault: "restorePrimary" },
      ],
    },
  },
  {
    shows: "a store that shows more than before has still what it showed before",
    plan: {
      ...READERS,
      seed: 6,
      virtualMs: 3000,
      waits: false,
      faults: [{ at: 1000, fault: "restoreCreates" }],
    },
  },
  {
    shows:
      "a primary that goes on from before the last change of the keys knows no key that was revoked since",
    plan: {
      ...READERS,
      clients: "watchers",
      seed: 9,
      virtualMs: 7217,
      waits: false,
      faults: [1000, 2500, 4000, 5500].map((at) => ({ at, fault: "restoreKeys" as const })),
    },
  },
  {
    shows: "a create whose outcome is unknown is not sent again",
    plan: {
      ...READERS,
      clients: "traders",
      seed: 35,
      virtualMs: 10_000,
      faults: [
        { at: 1444, fault: "slowDisk" },
        { at: 2807, fault: "replaceStore" },
        { at: 4138, fault: "stopPrimary" },
        { at: 6769, fault: "isolateStandby" },
      ],
    },
  },
  {
    shows: "no revision of the keys counts on another server",
    plan: {
      ...READERS,
      seed: 50,
      virtualMs: 8886,
      waits: false,
      faults: [
        { at: 421, fault: "isolateStandbys" },
        { at: 1069, fault: "isolateStandbys" },
        { at: 6330, fault: "isolateStandbys" },
        { at: 6901, fault: "promote" },
      ],
    },
  },
];
