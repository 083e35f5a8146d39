import type { Status } from "./animal.ts";
import type { KeyRefusal, Scope } from "./api-key.ts";
import type { OrderStatus } from "./order.ts";
import type { Stability } from "./stability.ts";

/** The details of each failure, by its code. Clients branch on the code, so it never changes. */
export interface FailureDetails {
  malformed_escape: { readonly text: string };
  invalid_parameter: { readonly name: string; readonly rule: string };
  invalid_header: { readonly name: string; readonly rule: string };
  invalid_host: Nothing;
  malformed_body: { readonly problem: string };
  invalid_body: { readonly problems: readonly string[] };
  /** Clients learn neither the reason nor whose key it was. */
  unauthorized: { readonly refusal: KeyRefusal; readonly keyId: number | undefined };
  insufficient_scope: { readonly scope: Scope };
  path_not_found: {
    readonly path: string;
    /** The stability of what this path has where a service offers it. */
    readonly stability?: Stability | undefined;
  };
  animal_not_found: { readonly id: string };
  order_not_found: { readonly id: string };
  method_not_allowed: { readonly method: string; readonly allowed: readonly string[] };
  animal_not_available: { readonly id: string; readonly status: Exclude<Status, "available"> };
  invalid_transition: { readonly from: OrderStatus; readonly to: OrderStatus };
  events_expired: Nothing;
  operation_removed: { readonly removedOn: Date; readonly instead: string };
  precondition_failed: Nothing;
  body_too_large: { readonly maximumBytes: number };
  unsupported_media_type: { readonly given: string | null; readonly supported: readonly string[] };
  unsupported_content_encoding: { readonly given: string };
  idempotency_key_reused: Nothing;
  rate_limited: {
    readonly quota: number;
    readonly windowSeconds: number;
    readonly retryAfterSeconds: number;
  };
  internal_error: Nothing;
  overloaded: Nothing;
  store_unavailable: Nothing;
  /** `waitsFor` says what a write waits for, if that is known. */
  not_ready: { readonly part: UnreadyPart; readonly waitsFor?: string | undefined };
}

/** The part that keeps the service from being ready. */
export type UnreadyPart = "stopping" | "reading" | "writing";

type Nothing = Readonly<Record<never, never>>;

export type FailureCode = keyof FailureDetails;

/** The reason why a request failed. It is returned rather than thrown, so that the compiler checks every path. */
export class Failure<Code extends FailureCode = FailureCode> {
  readonly code: Code;
  readonly detail: FailureDetails[Code];

  constructor(code: Code, detail: FailureDetails[Code]) {
    this.code = code;
    this.detail = detail;
  }
}

/** The store cannot do its work now. The cause is for the log only. */
export class StoreFailure extends Error {
  readonly code: "overloaded" | "store_unavailable";

  constructor(code: "overloaded" | "store_unavailable", message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = "StoreFailure";
    this.code = code;
  }
}
