import type { KeyRefusal } from "./api-key.ts";
import type { FailureCode } from "./failure.ts";

/** A request and how it was answered, as observers see it. It holds no key and no animal. */
export interface AnsweredRequest {
  readonly requestId: string;
  /** As it came: anything at all. */
  readonly method: string;
  /** As it came, without its query: anything at all. */
  readonly path: string;
  /** The path's template, `/v1/pets/{petId}` say, or the page; `undefined` where the path leads nowhere. */
  readonly route: string | undefined;
  /** The operation's id, where path and method lead to one. */
  readonly operation: string | undefined;
  readonly status: number;
  /** What was refused, or failed. */
  readonly failure: FailureCode | undefined;
  /** Why the key was refused, where it was: the client is not told. */
  readonly keyRefusal: KeyRefusal | undefined;
  /** The key's id, also where the key is known and was refused. */
  readonly keyId: number | undefined;
  /** Whether the response came from the response cache; `undefined` where none could have. */
  readonly cacheHit: boolean | undefined;
  /** Whether the client had gone before it was answered: nobody got this answer. */
  readonly abandoned: boolean;
  /** From the arrival of its head here until the answer is handed to the runtime. */
  readonly microseconds: number;
  /** The client's address, looked up when it is read. */
  readonly client: string | undefined;
}

/** The headers that tie a request to its caller's trace (W3C Trace Context), as they came. */
export interface IncomingTrace {
  readonly traceparent: string | null;
  readonly tracestate: string | null;
}

/** One who watches requests. It never throws. Where nobody watches, nothing is measured. */
export interface RequestObserver {
  /** Called once for each answer, in the context of `around`. */
  answered(request: AnsweredRequest): void;
  /** Runs the work of a request: where it is traced, that is what ties its spans to it. */
  around?<Result>(incoming: IncomingTrace, work: () => Result): Result;
}

/** Creates, or changes of orders, that were given to the engine together, in one transaction. */
export interface Commit {
  readonly writes: number;
  /** What `waits` returned for each of them. */
  readonly marks: readonly unknown[];
  /** How long the one that came first had waited until then. */
  readonly waitedMilliseconds: number;
  /** From then until the transaction was on the disk. */
  readonly milliseconds: number;
  /** Why nothing was stored, where that is so. */
  readonly error: unknown;
}

/** One who watches a store commit. It never throws. */
export interface CommitObserver {
  /** Called once for each queue of the store, with a function that tells how many writes wait in it. */
  queue?(length: () => number): void;
  /** Called as a write begins to wait. What it returns comes back with the commit. */
  waits?(): unknown;
  committed(commit: Commit): void;
}

/** How it stands with the log that SQLite writes ahead of the database. */
export interface WriteAheadLog {
  readonly bytes: number;
  /** For how long somebody has read an earlier state at least; `undefined` where the system does not tell. */
  readonly oldestReaderSeconds: number | undefined;
}
