import type { z } from "zod";
import type { ApiKey, Scope } from "../domain/api-key.ts";
import type { EventPage, EventType } from "../domain/change-event.ts";
import type { Cursors } from "../domain/cursor.ts";
import type { Failure, FailureCode } from "../domain/failure.ts";
import type { MaybePromise } from "../domain/maybe-promise.ts";
import type { InvalidatedBy, Revision } from "../domain/revision.ts";
import type { Stability } from "../domain/stability.ts";
import type { AnimalStore, FeedStore, OrderStore } from "../domain/store.ts";

/** The JSON Schema of a parameter, for the OpenAPI document. */
type ParameterSchema = Readonly<Record<string, unknown>>;

/** A path, query or header parameter. */
export interface Parameter<Value = unknown> {
  readonly in: "path" | "query" | "header";
  readonly description: string;
  readonly schema: ParameterSchema;
  /** The scope that a value of it requires besides the operation's, by that value. */
  readonly needs?: ReadonlyMap<string, Scope>;
  /** The value with which viewers prefill their forms; left out if no value works everywhere. */
  readonly example?: string | number;
  /** Parses what the client sent, percent-decoded; `undefined` if it sent nothing. */
  read(text: string | undefined): Value | Failure;
}

type Parameters = Readonly<Record<string, Parameter>>;

type ValuesOf<P extends Parameters> = {
  readonly [Name in keyof P]: P[Name] extends Parameter<infer Value> ? Value : never;
};

/** What an operation works with. */
interface Context {
  readonly store: AnimalStore & OrderStore & FeedStore;
  readonly cursors: Cursors;
  /** If set, the store refuses a write when the API keys have changed since this revision. */
  readonly ifKeysAt: Revision | undefined;
}

/** The response of an operation that succeeded, before it becomes HTTP. */
export interface OperationResponse {
  readonly status: 200 | 201;
  /** The body: JSON whose integers are bigints, or numbers that are exact. */
  readonly value: unknown;
  /** The path of the created resource, below the base URL. */
  readonly location?: string;
  /** The query of the next page of the same list. */
  readonly next?: string | undefined;
  /** Whether this repeats the response to an earlier request with the same `Idempotency-Key`. */
  readonly replayed?: boolean;
  /** Set where the response is a stream of server-sent events. */
  readonly stream?: Subscription;
  /** Whether it depends on the caller's key, so that it must not be cached for others. */
  readonly isPersonal?: boolean;
  /** Which changes make the response stale in the cache; by default, any change of the stock. */
  readonly invalidatedBy?: InvalidatedBy;
}

/** What a stream of events sends. */
export interface Subscription {
  readonly types: readonly EventType[];
  /** Where it begins. */
  readonly page: EventPage;
}

/** The media types of a body whose declaration names none. */
export const MEDIA_TYPES = ["application/json"];

/** The declaration of a request body. */
export interface BodyDeclaration<Body> {
  readonly description: string;
  /** The media types that it may have; by default, those of `MEDIA_TYPES`. */
  readonly mediaTypes?: readonly string[];
  readonly schema: z.ZodType<Body>;
  /** Reads a valid body faster than the schema does, with the same result; returns `undefined` for an invalid body. */
  read?(body: Readonly<Record<string, unknown>>): Body | undefined;
  /** By one-word names. */
  readonly examples: Readonly<Record<string, { readonly summary: string; readonly value: unknown }>>;
}

/** One successful status, for the OpenAPI document. */
interface ResponseDeclaration {
  readonly description: string;
  readonly schema: z.ZodType;
  readonly headers: readonly ("Link" | "Location" | "Idempotent-Replayed")[];
  readonly example: unknown;
}

/** The deprecation of an operation (RFC 9745 and RFC 8594). */
interface Deprecation {
  readonly since: Date;
  /** From this moment on the operation returns 410. */
  readonly sunset: Date;
  /** The path of the replacement, and the replacement in words. */
  readonly successor: string;
  readonly instead: string;
}

/** A method that operations have. `HEAD` works wherever `GET` does. */
type Method = "GET" | "PATCH" | "POST";

/** The groups of operations in the OpenAPI document. */
export type Tag = "Animals" | "Orders" | "Keys" | "Events";

interface Declaration<P extends Parameters, Body, Code extends FailureCode> {
  /** The operation's name in the contract. */
  readonly id: string;
  /** The group that the document shows it in. */
  readonly tag: Tag;
  readonly method: Method;
  /** Below the base URL, with parameters in braces. */
  readonly path: string;
  readonly summary: string;
  readonly description: string;
  readonly stability: Stability;
  /** The scope that a key needs; `undefined` if any valid key may ask. */
  readonly scope: Scope | undefined;
  readonly deprecation?: Deprecation;
  /** Whether a client may ask for a stream of server-sent events. */
  readonly streams?: boolean;
  readonly parameters: P;
  readonly body?: BodyDeclaration<Body>;
  readonly responses: Readonly<Record<number, ResponseDeclaration>>;
  /** The failures of this operation, beyond the failures of every operation. */
  readonly failures: readonly Code[];
  /**
   * Does the work of one request: calls one method of the store, and makes a response of its reply. A read calls it before
   * anything else is awaited. The failures of a write follow from the reply alone: the store has checked the keys by then.
   * Besides its own failures it may return `insufficient_scope`, where a value of a parameter needs another scope.
   */
  run(
    context: Context,
    input: {
      readonly caller: ApiKey;
      readonly parameters: ValuesOf<P>;
      readonly body: Body;
      /** Whether the client asks for a stream. */
      readonly isStream: boolean;
    },
  ): MaybePromise<OperationResponse | Failure<NoInfer<Code> | "insufficient_scope">>;
}

export type Operation = Declaration<Parameters, unknown, FailureCode>;

/** Declares an operation: everything that the router, the checks and the OpenAPI document know about it. */
export function operation<P extends Parameters, Body, Code extends FailureCode>(
  declaration: Declaration<P, Body, Code>,
): Operation {
  return declaration as Operation;
}

/** The failures of a request body. */
export const BODY_FAILURES = [
  "malformed_body",
  "invalid_body",
  "body_too_large",
  "unsupported_media_type",
  "unsupported_content_encoding",
] as const;

/** Every failure that an operation may return: its own, and the failures that its declaration implies. */
export function failuresOf(operation: Operation): FailureCode[] {
  return [
    "invalid_host",
    "malformed_escape",
    "unauthorized",
    ...(operation.scope ? (["insufficient_scope"] as const) : []),
    ...operation.failures,
    ...(operation.deprecation ? (["operation_removed"] as const) : []),
    ...(operation.body ? BODY_FAILURES : []),
    "rate_limited",
    "overloaded",
    "internal_error",
    "store_unavailable",
  ];
}
