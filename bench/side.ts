import type { Accounted } from "./accounting.ts";
import type { Server } from "./server.ts";
import type { SharedParts } from "./shared-parts.ts";
import type { STATUSES } from "./stock.ts";

/** Ours; the same service written for speed in a compiled language; and what someone might take instead of ours. */
export type Kind = "ours" | "native" | "peer";

/**
 * How far a side's answers are to be ours before it is measured: to the byte, headers included; in status
 * and JSON; or in status and the members that there are, where a side makes its data up.
 */
export type Likeness = "bytes" | "data" | "shape";

/** One of the servers that are compared. */
export interface Side {
  readonly name: string;
  readonly kind: Kind;
  readonly likeness: Likeness;
  /** Whether it answers 401 to a key that it does not know; that is tried. */
  readonly checksKeys: boolean;
  /** Why it cannot run on this machine, for people; `undefined` where it can. */
  unavailable?(): string | undefined;
  /** Starts it as a process of its own, with its stock. */
  start(start: Start): Promise<RunningSide>;
}

export interface Start {
  /** Its own, and empty. */
  readonly folder: string;
  /** How many animals it is to begin with. */
  readonly animals: number;
  readonly shared: SharedParts;
}

/** An answer without what HTTP itself adds to it. */
export interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

export type Filter = (typeof STATUSES)[number] | undefined;

export interface RunningSide extends Server {
  /** What every call to it carries. */
  readonly headers: Readonly<Record<string, string>>;
  /** What belongs to it and is accounted by itself, such as a database server. */
  readonly beside?: Accounted & { readonly name: string };
  /** The path of a page of 20 animals that follow an id. */
  pagePath(after: number, status: Filter): string;
  /** How many animals are stored, asked past the server; absent where nothing is stored, or nothing durable claimed. */
  stored?(): Promise<number>;
}
