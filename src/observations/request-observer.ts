import type { KeyRefusal } from "../domain/api-key.ts";
import type { FailureCode } from "../domain/failure.ts";

/** A request and its response, as observers see them. It contains no key and no animal. */
export interface AnsweredRequest {
  readonly requestId: string;
  /** As the client sent it: it may be any text. */
  readonly method: string;
  /** As the client sent it, without the query: it may be any text. */
  readonly path: string;
  /** The path's template, for example `/v1/pets/{petId}`, or the page; `undefined` for an unknown path. */
  readonly route: string | undefined;
  /** The operation's id, if path and method match one. */
  readonly operation: string | undefined;
  readonly status: number;
  /** Why the request was refused, or failed. */
  readonly failure: FailureCode | undefined;
  /** Why the key was refused, if it was. The client is not told. */
  readonly keyRefusal: KeyRefusal | undefined;
  /** The key's id, even if the key is known and was refused. */
  readonly keyId: number | undefined;
  /** Whether the response came from the response cache; `undefined` where none could have. */
  readonly cacheHit: boolean | undefined;
  /** Whether the client left before the response, which then reached nobody. */
  readonly abandoned: boolean;
  /** From receiving the head until handing the response to the runtime. */
  readonly microseconds: number;
  /** The client's address, looked up when it is read. */
  readonly client: string | undefined;
}

/** What a request's metrics are counted by. */
export type RequestOutcome = Pick<
  AnsweredRequest,
  "method" | "route" | "operation" | "status" | "failure" | "abandoned"
>;

/** What a service is known to answer before the first request: metrics count it from 0. */
export interface KnownResponses {
  /** Of each operation: its successes, and the failures that are the service's own. */
  readonly outcomes: readonly RequestOutcome[];
  /** Every failure that any request may get. */
  readonly failures: readonly FailureCode[];
}

/** The headers that join a request to its caller's trace (W3C Trace Context), as the client sent them. */
export interface IncomingTrace {
  readonly traceparent: string | null;
  readonly tracestate: string | null;
}

/** Why a stream of events ended. */
export const STREAM_ENDS = [
  "client_left",
  /** The client left too much unread, or something for too long, and was cut off. */
  "not_reading",
  /** Its key expired, was revoked, or lost a scope. */
  "key_ended",
  /** Its position is not in the feed any more. */
  "expired",
  /** Another server of the database took over, which may lack events that were sent. */
  "failover",
  /** The feed could not be read. */
  "failed",
  "stopping",
  "certificate_replaced",
] as const;

export type StreamEnd = (typeof STREAM_ENDS)[number];

/** A stream of events that has ended. */
export interface EndedStream {
  /** Of the request that opened it. */
  readonly requestId: string;
  readonly keyId: number;
  readonly end: StreamEnd;
  readonly eventsSent: number;
  /** How long it was open. */
  readonly seconds: number;
}

/** The streams of events of this process. */
export interface StreamCounts {
  readonly open: number;
  /** Events sent so far, one for each stream that got it. */
  readonly eventsSent: number;
}

/** Observes requests. It never throws. Without an observer nothing is measured. */
export interface RequestObserver {
  /** Called once for each response, in the context of `around`. */
  answered(request: AnsweredRequest): void;
  /** Called once for each stream of events, when it has ended; `answered` was called when it was opened. */
  streamEnded?(stream: EndedStream): void;
  /** Runs the work of a request. A tracer joins the spans of that work to the request's span. */
  around?<Result>(incoming: IncomingTrace, work: () => Result): Result;
}
