declare global {
  /** Part of TypeScript since 5.2, and of its libraries for programs that ask for it. */
  interface SymbolConstructor {
    readonly asyncDispose: unique symbol;
  }
}

/** The name of an API key; every space has one of each name. */
export type SandboxKeyName =
  | "all scopes"
  | "another client"
  | "read only"
  | "animals only"
  | "no scopes"
  | "expired"
  | "revoked";

/** An API key of a sandbox. */
export interface SandboxKey {
  readonly name: SandboxKeyName;
  readonly key: string;
  readonly scopes: readonly string[];
  readonly state: "valid" | "expired" | "revoked";
}

/** A running sandbox, as a process of its own. */
export interface RunningSandbox {
  /** `http://127.0.0.1:PORT` */
  readonly address: string;
  /** The base address for clients: `address` with the version of the interface. */
  readonly baseUrl: string;
  /** The address of the control interface: faults, clock, journal, spaces, reset. */
  readonly control: string;
  /** A key that may do everything. */
  readonly apiKey: string;
  /** All keys, also those that are limited, expired and revoked. */
  readonly keys: readonly SandboxKey[];
  /** Makes a space: a store with the first animals, a clock, faults and a journal that no other test sees. */
  space(): Promise<SandboxSpace>;
  /** Makes a space, and removes it when `use` has ended, also if that fails. Resolves with what `use` does. */
  withSpace<Result>(use: (space: SandboxSpace) => Result | Promise<Result>): Promise<Result>;
  /** Stops it, and resolves once it has ended. */
  stop(): Promise<void>;
  /** The same, for `await using sandbox = await startSandbox();`. */
  [Symbol.asyncDispose](): Promise<void>;
}

/** A sandbox within the sandbox, for one test. Its methods reject with what the sandbox says is wrong. */
export interface SandboxSpace {
  readonly name: string;
  /** The base address for clients: `apiKey` chooses the space. */
  readonly baseUrl: string;
  /** A key that may do everything. */
  readonly apiKey: string;
  /** All keys, also those that are limited, expired and revoked. */
  readonly keys: readonly SandboxKey[];
  readonly clock: SandboxClock;
  /** Plans these faults in place of all others; without any, nothing fails. */
  faults(...faults: readonly SandboxFault[]): Promise<readonly PlannedFault[]>;
  /** The requests that a filter admits, oldest first: all of them without one. */
  requests(filter?: RequestFilter): Promise<readonly SandboxRequest[]>;
  /**
   * The requests that a filter admits.
   *
   * @param count how many there must be; left out: at least one
   * @throws Error that shows them, and the requests that come nearest, if there are more or fewer
   */
  expectRequests(filter: RequestFilter, count?: number): Promise<readonly SandboxRequest[]>;
  /**
   * Delivers each event from now on to an address of the test, as a webhook: until the space is reset or removed.
   *
   * @param url on this machine
   */
  deliverTo(url: string | { readonly href: string }, options?: DeliveryOptions): Promise<DeliveryTarget>;
  /**
   * The deliveries that a filter admits, in their order: all of them without one.
   *
   * @throws Error that shows them if there are fewer than `atLeast` after 10 s, or after `waitMs`
   */
  deliveries(filter?: DeliveryFilter & DeliveryWait): Promise<readonly SandboxDelivery[]>;
  /** Starts again with the first animals, orders and ids, the real time, no faults, an empty journal and no deliveries. */
  reset(): Promise<void>;
  /** Removes it. */
  remove(): Promise<void>;
  /** The same, for `await using space = await sandbox.space();`. */
  [Symbol.asyncDispose](): Promise<void>;
}

/** The time of a space. What changes it resolves with the new time. */
export interface SandboxClock {
  now(): Promise<Date>;
  /** @param time as RFC 3339 writes it, or a `Date`; the clock runs on from there */
  set(time: string | Date): Promise<Date>;
  /** @param duration for example `"90s"`, `"25h"` or `"8d"` */
  advance(duration: string): Promise<Date>;
  /** Stands still from now on, also when it is set or advanced. */
  freeze(): Promise<Date>;
  /** Returns to the real time. */
  reset(): Promise<void>;
}

/** The name of an operation. */
export type SandboxOperation =
  | "listPets"
  | "createPet"
  | "getPet"
  | "listOrders"
  | "placeOrder"
  | "getOrder"
  | "updateOrder"
  | "getKey"
  | "listEvents";

/** A status with which a request can be refused. */
export type SandboxFaultStatus =
  | 400
  | 401
  | 403
  | 404
  | 408
  | 409
  | 410
  | 412
  | 413
  | 415
  | 422
  | 429
  | 500
  | 502
  | 503
  | 504;

/** What can go wrong besides: `docs/guides/sandbox.md` says what a client sees of each. */
export type SandboxFaultName =
  | "reset"
  | "lost"
  | "cut"
  | "delay"
  | "slow"
  | "malformed_json"
  | "wrong_content_type"
  | "empty_body"
  | "rounded_id"
  | "expired_cursor"
  | "stream_pause"
  | "stream_repeat"
  | SandboxDeliveryFault;

/** What can go wrong with a webhook: `docs/guides/webhooks.md` says what a receiver sees of each. */
export type SandboxDeliveryFault =
  | "delivery_twice"
  | "delivery_late"
  | "delivery_swapped"
  | "delivery_wrong_signature"
  | "delivery_old_signature"
  | "delivery_old_timestamp"
  | "delivery_changed_body"
  | "delivery_cut"
  | "delivery_slow";

/** The type of an event. */
export type SandboxEventType =
  | "animal.created"
  | "animal.status_changed"
  | "order.placed"
  | "order.status_changed";

/** The name of any fault; a status as text. */
export type SandboxAnyFault = SandboxFaultName | `${SandboxFaultStatus}`;

/** Which requests or deliveries get a fault, and its details. */
export interface SandboxFaultOptions {
  /** The only operation whose requests get it. */
  readonly operation?: SandboxOperation;
  /** The name of the only API key whose requests get it. */
  readonly key?: SandboxKeyName;
  /** The only path whose requests get it, for example `"/v1/pets/7"`. */
  readonly path?: string;
  /** For faults of deliveries: the only type of events that meets it. */
  readonly event?: SandboxEventType;
  /** What the body of such a request has: these members with these values. Integers must be safe ones. */
  readonly body?: Readonly<Record<string, unknown>>;
  /** How many of these requests come before the first that gets it. */
  readonly after?: number;
  /** How many requests get it; left out: all. */
  readonly count?: number;
  /** How likely each of these requests gets it, above 0 and up to 1. */
  readonly probability?: number;
  /** The same seed hits the same requests again. */
  readonly seed?: number;
  /** For the faults that take time. */
  readonly delayMs?: number;
  /** Each delay is somewhere between `delayMs` and this. */
  readonly delayMaxMs?: number;
  /** For 429 and 503. */
  readonly retryAfterSeconds?: number;
}

/** A fault to plan: a status, or another fault by its name. */
export type SandboxFault = SandboxFaultOptions &
  (
    | { readonly status: SandboxFaultStatus; readonly fault?: never }
    | { readonly fault: SandboxFaultName; readonly status?: never }
  );

/** A planned fault. */
export interface PlannedFault extends SandboxFaultOptions {
  readonly fault: SandboxAnyFault;
  /** The ids of the requests or deliveries that met it. */
  readonly hit: readonly number[];
}

/** Which requests are meant: those that have all of these values. */
export interface RequestFilter {
  readonly operation?: SandboxOperation;
  readonly method?: string;
  /** Without a query. */
  readonly path?: string;
  readonly key?: SandboxKeyName;
  readonly idempotencyKey?: string;
  /** The fault that a request met. */
  readonly fault?: Exclude<SandboxAnyFault, SandboxDeliveryFault>;
  /** The status of the response. */
  readonly status?: number;
}

/** What is delivered to an address, and how. */
export interface DeliveryOptions {
  /** `whsec_` and base64; two, separated by a space, sign as during a rotation. Left out: made, and returned. */
  readonly secret?: string;
  /** The secret that was replaced, with which `delivery_old_signature` signs. Left out: made, and returned. */
  readonly formerSecret?: string;
  /** Left out: every type. */
  readonly types?: readonly SandboxEventType[];
  /** Milliseconds until the receiver must have answered; left out: 15,000. */
  readonly timeoutMs?: number;
}

/** An address that gets deliveries. */
export interface DeliveryTarget extends Required<DeliveryOptions> {
  /** Its number. */
  readonly target: number;
  readonly url: string;
  /** Why the deliveries have ended by themselves, for example since the receiver answered 410. */
  readonly ended: string | null;
}

/** Which deliveries are meant: those that have all of these values. */
export interface DeliveryFilter {
  readonly target?: number;
  readonly event?: SandboxEventType;
  readonly eventId?: number;
  /** 1 is the first of an event to an address. */
  readonly attempt?: number;
  readonly fault?: SandboxDeliveryFault;
  /** The status of the response. */
  readonly status?: number;
  readonly outcome?: "delivered" | "failed" | "dropped";
}

/** How many of the deliveries to wait for, until they have ended. */
export interface DeliveryWait {
  readonly atLeast?: number;
  /** How long; left out: 10,000. At most 60,000. */
  readonly waitMs?: number;
}

/** An attempt to deliver an event: its headers as they left, the body before any fault, and what came back. */
export interface SandboxDelivery {
  /** In the order in which deliveries had their turns. */
  readonly id: number;
  readonly target: number;
  readonly event: SandboxEventType;
  readonly eventId: number;
  readonly attempt: number;
  readonly fault: { readonly fault: SandboxDeliveryFault; readonly rule: number } | null;
  /** When it left; `null` until then. RFC 3339, by the real clock. */
  readonly at: string | null;
  /** Milliseconds by a clock that nobody can set. */
  readonly elapsedMs: number | null;
  /** In lower case. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  /** `null` until it has ended. */
  readonly outcome: "delivered" | "failed" | "dropped" | null;
  /** Why it was not delivered. */
  readonly error: string | null;
  readonly durationMs: number | null;
  /** `null` where none came. */
  readonly response: {
    readonly status: number;
    readonly headers: Readonly<Record<string, string>>;
    readonly body: string;
    readonly bodyIsWhole: boolean;
  } | null;
}

/** A request in the journal, without its API key. */
export interface SandboxRequest {
  /** In the order of arrival. */
  readonly id: number;
  /** RFC 3339, by the real clock. */
  readonly at: string;
  /** Milliseconds by a clock that nobody can set: differences tell how long a client waited. */
  readonly elapsedMs: number;
  readonly method: string;
  /** Path and query. */
  readonly target: string;
  readonly operation: SandboxOperation | null;
  /** The name of the API key. */
  readonly key: SandboxKeyName | null;
  /** Those that an operation uses or that describe the client, in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | null;
  readonly bodyIsWhole: boolean;
  /** The fault that it met, and its place in the plan. */
  readonly fault: { readonly fault: SandboxAnyFault; readonly rule: number | null } | null;
  /** What the service answered; `null` until then, and after a `reset`. */
  readonly response: {
    readonly status: number;
    readonly elapsedMs: number;
    readonly headers: Readonly<Record<string, string>>;
    readonly body: string | null;
    readonly bodyIsWhole: boolean;
  } | null;
}

/**
 * Starts `animal-store sandbox` on a free port, and waits until it is ready. It ends with `stop()`, or with this process, even
 * if that is killed. It keeps this process from ending no longer than it takes to start.
 *
 * @param options `args` are more options of the command, for example `["--store", "./sandbox.db"]`
 * @throws Error with what the command said, if it cannot start
 */
export function startSandbox(options?: { readonly args?: readonly string[] }): Promise<RunningSandbox>;

/** Starts a sandbox as `startSandbox` does, and stops it when `use` has ended, also if that fails. Resolves with what `use` does. */
export function withSandbox<Result>(
  use: (sandbox: RunningSandbox) => Result | Promise<Result>,
  options?: { readonly args?: readonly string[] },
): Promise<Result>;
