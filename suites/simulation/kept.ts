import type { Fault } from "./cluster.ts";
import type { Plan } from "./plan.ts";

/** A plan that has once shown something wrong. */
export interface KeptPlan {
  /** What must hold. */
  readonly shows: string;
  readonly plan: Plan;
}

const READERS = { clients: "readers", waits: true, records: false, quietMs: 0 } as const;

/** A primary goes back again and again, each time to the revision that it gave last; nothing else changes. */
function backToRevision(fault: "restoreSeen" | "resumeSeen") {
  return {
    ...READERS,
    clients: "watchers",
    virtualMs: 25_000,
    waits: false,
    quietMs: 25_000,
    faults: [1000, 4000, 7000, 10_000, 13_000, 16_000, 19_000, 22_000].flatMap((at) => [
      { at, fault },
      { at: at + 1800, fault: "rebuildStandby" as const },
      { at: at + 1900, fault: "rebuildStandby" as const },
    ]),
  } as const;
}

/** One fault again and again, at some milliseconds of the run. */
function repeated(fault: Fault, times: readonly number[]): Plan["faults"] {
  return times.map((at) => ({ at, fault }));
}

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
      faults: repeated("restorePrimary", [1500, 3500, 5500, 7500, 9500]),
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
    shows: "what was read right after a revision counts no more once the primary's disk goes back to that",
    plan: { ...backToRevision("restoreSeen"), seed: 10 },
  },
  {
    shows:
      "what was read right after a revision counts no more once memory goes back to that, and connections end",
    plan: { ...backToRevision("resumeSeen"), seed: 7 },
  },
  {
    shows: "a server of another cluster at a standby's address keeps no instance from its primary",
    plan: {
      ...READERS,
      seed: 21,
      virtualMs: 8907,
      waits: false,
      faults: [{ at: 7895, fault: "replaceCluster" }],
    },
  },
  {
    shows: "while the primary is away, no standby is taken for it",
    plan: {
      ...READERS,
      seed: 12,
      virtualMs: 5813,
      faults: repeated("stopPrimary", [61, 1242, 3567]),
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
      records: true,
      seed: 3,
      virtualMs: 9000,
      waits: false,
      faults: [
        { at: 2000, fault: "isolateStandbys" },
        { at: 2300, fault: "promote" },
      ],
    },
  },
  {
    shows:
      "no event gets the id of a lost event that was read before, where all events of the store were lost",
    plan: {
      ...READERS,
      records: true,
      seed: 1,
      virtualMs: 10_000,
      waits: false,
      quietMs: 2000,
      faults: [
        { at: 0, fault: "replaceStore" },
        { at: 1293, fault: "isolateStandbys" },
        { at: 2850, fault: "isolateStandbys" },
        { at: 5207, fault: "promote" },
      ],
    },
  },
  {
    shows: "a promotion is noticed though nobody writes",
    plan: {
      ...READERS,
      clients: "watchers",
      seed: 48,
      virtualMs: 5000,
      faults: [{ at: 546, fault: "split" }],
    },
  },
  {
    shows:
      "a standby of a history that was given up is not believed where both have come to the same numbers",
    plan: {
      ...READERS,
      clients: "watchers",
      seed: 4,
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
      seed: 6,
      virtualMs: 5000,
      faults: [{ at: 500, fault: "resumeAsked" }],
    },
  },
  {
    shows: "a page that shows more than its revision counts no more once the primary has lost that",
    plan: {
      ...READERS,
      seed: 289,
      virtualMs: 10_000,
      faults: [
        { at: 1820, fault: "promote" },
        { at: 5300, fault: "delayStandby" },
        { at: 8381, fault: "restorePrimary" },
      ],
    },
  },
  {
    shows: "a page of what the primary was asked about counts no more once the primary has lost that",
    plan: { ...READERS, seed: 44, virtualMs: 3000, faults: [{ at: 500, fault: "resumeAsked" }] },
  },
  {
    shows: "a page that no standby could give counts no more once the primary has lost what that page has",
    plan: { ...READERS, seed: 106, virtualMs: 3000, faults: [{ at: 500, fault: "resumeRead" }] },
  },
  {
    shows: "a store that shows more than before has still what it showed before",
    plan: {
      ...READERS,
      seed: 3,
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
      faults: repeated("restoreKeys", [1000, 2500, 4000, 5500]),
    },
  },
  {
    shows: "a standby that replays a store restored from a dump is not believed for what it read before",
    plan: {
      ...READERS,
      clients: "watchers",
      seed: 64,
      virtualMs: 3044,
      waits: false,
      faults: repeated("restoreRows", [500, 1500, 2500]),
    },
  },
  {
    shows: "a standby that has passed what a restored dump took is not believed for what it read before",
    plan: {
      ...READERS,
      seed: 83,
      virtualMs: 4769,
      waits: false,
      faults: repeated("restoreRows", [500, 1000, 1500, 2000, 2500, 3000, 3500, 4000, 4500]),
    },
  },
  {
    shows:
      "a store that a dump has replaced with its tables is another one, though it has passed what it lost",
    plan: {
      ...READERS,
      seed: 43,
      virtualMs: 3000,
      waits: false,
      faults: repeated("restoreDump", [500, 1500]),
    },
  },
  {
    shows: "a create whose outcome is unknown is not sent again",
    plan: {
      ...READERS,
      seed: 50,
      virtualMs: 10_000,
      faults: [
        { at: 1287, fault: "promote" },
        { at: 3272, fault: "isolateStandbys" },
        { at: 5293, fault: "isolateStandbys" },
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
  {
    shows:
      "a standby has reached both logs, though commits may show in another order than they have in the log",
    plan: {
      ...READERS,
      clients: "traders",
      seed: 46,
      virtualMs: 5279,
      faults: [
        { at: 884, fault: "promote" },
        { at: 1792, fault: "replaceStore" },
        { at: 3752, fault: "delayStandby" },
      ],
    },
  },
  {
    shows: "changes are recorded again after a promotion that lost that they are",
    plan: {
      ...READERS,
      records: true,
      seed: 1,
      virtualMs: 4000,
      waits: false,
      faults: [
        { at: 0, fault: "isolateStandbys" },
        { at: 1800, fault: "promote" },
      ],
    },
  },
  {
    shows: "no page from a standby has two changes in another order than the primary showed them",
    plan: {
      ...READERS,
      seed: 1033,
      virtualMs: 4185,
      quietMs: 2000,
      faults: [
        { at: 0, fault: "replaceStore" },
        { at: 1329, fault: "restartPrimary" },
        { at: 2090, fault: "loseConnections" },
      ],
    },
  },
];
