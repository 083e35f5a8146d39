/** How much of the model is visited. */
export interface Bounds {
  /** 2 or 3. */
  readonly servers: number;
  readonly kinds: readonly ("animal" | "key" | "revoke")[];
  readonly events: readonly Event[];
  readonly changes: number;
  readonly faults: number;
  readonly epochs: number;
}

type Event =
  | "create"
  | "read from a standby"
  | "cancel"
  | "copy"
  | "go back"
  | "promote"
  | "rejoin"
  | "replace";

/** A check of the protocol, and what goes wrong without it. */
interface Check {
  /** Its name in the model. */
  readonly name: string;
  /** What is checked, for people. */
  readonly shows: string;
  /** The invariant that does not hold without it. */
  readonly breaks: string;
  readonly bounds: Bounds;
}

const KEYS = ["animal", "key", "revoke"] as const;
const NONE: Bounds = { servers: 2, kinds: ["animal"], events: [], changes: 2, faults: 0, epochs: 1 };
const STANDBY: Bounds = { ...NONE, events: ["read from a standby"] };
const THREE: Bounds = { ...NONE, servers: 3, changes: 1 };
const BACK: Bounds = { ...NONE, servers: 3, events: ["go back"], faults: 1, epochs: 2 };

/** Every check that `On` names in the model. */
export const CHECKS: readonly Check[] = [
  {
    name: "behind",
    shows: "a standby has reached the primary's revision",
    breaks: "NothingStale",
    bounds: STANDBY,
  },
  {
    name: "ahead",
    shows: "the primary shows what a standby shows",
    breaks: "NothingUnconfirmed",
    bounds: STANDBY,
  },
  {
    name: "history",
    shows: "the primary has a standby's tokens",
    breaks: "NoOtherHistory",
    bounds: { ...BACK, events: ["read from a standby", "go back"], epochs: 1 },
  },
  {
    name: "store",
    shows: "a standby has the primary's store",
    breaks: "NoForeignStore",
    bounds: { ...STANDBY, events: ["read from a standby", "copy"], changes: 1, faults: 1 },
  },
  {
    name: "connection",
    shows: "marks from before a packet are those of its connection",
    breaks: "NothingStale",
    bounds: { ...STANDBY, servers: 3, changes: 1 },
  },
  {
    name: "cluster",
    shows: "a server is one of our cluster",
    breaks: "NotStoppedByAnotherCluster",
    bounds: { ...NONE, events: ["replace"], changes: 1, faults: 1 },
  },
  {
    name: "start",
    shows: "a server has not started since",
    breaks: "NoOtherHistory",
    bounds: { ...BACK, epochs: 1 },
  },
  { name: "epoch", shows: "revisions of one server are compared", breaks: "NoOtherHistory", bounds: BACK },
  {
    name: "served",
    shows: "the server that is asked about marks gave the revision",
    breaks: "NothingStale",
    bounds: { ...STANDBY, events: ["read from a standby", "go back"], faults: 1, epochs: 2 },
  },
  {
    name: "cache",
    shows: "a cached response is valid at the revision",
    breaks: "NothingStale",
    bounds: { ...NONE, changes: 1 },
  },
  {
    name: "key",
    shows: "a known key is valid at the revision",
    breaks: "NoRevokedKey",
    bounds: { ...NONE, kinds: KEYS },
  },
  {
    name: "primary",
    shows: "a standby is not used as the primary",
    breaks: "NoAcknowledgedWriteLost",
    bounds: { ...THREE, events: ["create"], epochs: 2 },
  },
  {
    name: "timeline",
    shows: "a server on an earlier timeline is not used",
    breaks: "NoAcknowledgedWriteLost",
    bounds: { ...THREE, events: ["create", "promote"], faults: 1, epochs: 3 },
  },
  {
    name: "promoted",
    shows: "no other server was promoted before a commit",
    breaks: "NoAcknowledgedWriteLost",
    bounds: { ...THREE, events: ["create", "promote"], faults: 1 },
  },
  {
    name: "received",
    shows: "a standby has received a slow commit",
    breaks: "NoAcknowledgedWriteLost",
    bounds: { ...THREE, events: ["create", "cancel", "promote"], faults: 2 },
  },
];

/** Where all promises hold, with every check. */
export const SAFE: Readonly<Record<string, Bounds>> = {
  "reads from a standby through a promotion, a snapshot and a server of another cluster": {
    ...STANDBY,
    events: ["read from a standby", "replace", "go back", "promote"],
    faults: 1,
    epochs: 2,
  },
  "reads from a standby after a copy": {
    ...STANDBY,
    events: ["read from a standby", "copy"],
    faults: 1,
  },
  "known keys and cached responses through a snapshot": {
    ...NONE,
    kinds: KEYS,
    events: ["go back"],
    faults: 1,
    epochs: 2,
  },
  "creates through promotions, cancelled waits and servers that join again": {
    ...THREE,
    events: ["create", "promote", "cancel", "rejoin"],
    faults: 2,
    epochs: 2,
  },
};
