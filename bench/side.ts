import type { Accounted } from "./accounting.ts";
import type { Server } from "./server.ts";
import type { SharedParts } from "./shared-parts.ts";
import type { STATUSES } from "./stock.ts";

/** Our service; the same service in a compiled language; or a server that people might use instead. */
export type Kind = "ours" | "native" | "peer";

/**
 * How far the responses of a side must equal ours: to the byte, headers included; in status and JSON value; or in status
 * and the members of objects, for a side that makes up its data.
 */
export type Likeness = "bytes" | "data" | "shape";

/** One of the servers that are compared. */
export interface Side {
  readonly name: string;
  readonly kind: Kind;
  readonly likeness: Likeness;
  /** Whether it answers 401 to an unknown key, which the bench checks. */
  readonly checksKeys: boolean;
  /** Why it cannot run on this machine; `undefined` if it can. */
  unavailable?(): string | undefined;
  /** Starts it as a process of its own, with its animals. */
  start(start: Start): Promise<RunningSide>;
}

export interface Start {
  /** An empty folder of its own. */
  readonly folder: string;
  /** The number of animals that it starts with. */
  readonly animals: number;
  readonly shared: SharedParts;
}

/** A response without the headers that HTTP itself adds. */
export interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

export type Filter = (typeof STATUSES)[number] | undefined;

export interface RunningSide extends Server {
  /** Headers of every call to it. */
  readonly headers: Readonly<Record<string, string>>;
  /** A process that belongs to it and is accounted separately, such as a database server. */
  readonly beside?: Accounted & { readonly name: string };
  /** The path of a page of 20 animals that follow an id. */
  pagePath(after: number, status: Filter): string;
  /** Counts the stored animals without asking the server; absent when the side claims no durability. */
  stored?(): Promise<number>;
}

/** CPU time of a service and of its database so far, in microseconds. */
export function cpuOf({ cpuMicroseconds, beside }: RunningSide): number {
  return cpuMicroseconds() + (beside?.cpuMicroseconds() ?? 0);
}
