import type { ApiKey, Scope } from "../domain/api-key.ts";
import type { Environment } from "../domain/environment.ts";
import { Failure } from "../domain/failure.ts";
import { isValidAt, type Revision } from "../domain/revision.ts";
import { Authenticator } from "./authenticate.ts";
import type { ApiCall } from "./call.ts";
import type { ConfirmedCaller, KnownCaller, UnknownCaller } from "./caller.ts";
import type { KeyUses } from "./key-uses.ts";
import type { RateLimiter } from "./rate-limit/rate-limit.ts";
import type { Route } from "./request/routes.ts";

/** Finds out who makes a request, and whether that caller may make it. */
export class AccessControl {
  readonly #authenticator: Authenticator;
  readonly #limiter: RateLimiter | undefined;
  readonly #uses: KeyUses;

  constructor(environment: Environment, limiter: RateLimiter | undefined, uses: KeyUses) {
    this.#authenticator = new Authenticator(environment);
    this.#limiter = limiter;
    this.#uses = uses;
  }

  /** Recognizes a caller that was seen before. Returns a failure if no key of this service has the form of what it presented. */
  recognize(call: ApiCall): KnownCaller | UnknownCaller | Failure {
    const caller = this.#authenticator.recognize(call.authorization, call.now);
    if (caller instanceof Failure) call.identified = caller;
    return caller;
  }

  /**
   * Judges the key that was looked up: true at some time since the request arrived.
   *
   * @param asOf a revision from before it was looked up
   * @returns a failure if the key is not valid, or the caller may not do what it asks for
   */
  admit(
    call: ApiCall,
    caller: UnknownCaller,
    found: ApiKey | undefined,
    asOf: Revision,
  ): ConfirmedCaller | Failure {
    const known = this.#authenticator.judge(caller, found, asOf, call.now);
    if (!(known instanceof Failure)) return this.#acceptAndCount(call, known);
    call.identified = known;
    return known;
  }

  /**
   * Confirms a caller by the key's last lookup. If any key has changed since, the caller is unknown again.
   *
   * @param revision not older than the request
   * @returns a failure if the caller may not do what it asks for
   */
  confirm(call: ApiCall, known: KnownCaller, revision: Revision): ConfirmedCaller | UnknownCaller | Failure {
    return isValidAt(known.asOf, revision, "keys") ? this.#acceptAndCount(call, known) : forgotten(known);
  }

  /** Notes whose key the request carries: the key was valid at some time since the request arrived. */
  accept(call: ApiCall, { key }: KnownCaller): void {
    call.identified = key;
    this.#uses.note(key.id, call.now);
  }

  /** The operation, if its write may go ahead before its caller is confirmed. */
  mayGoAhead(
    call: ApiCall,
    caller: KnownCaller | UnknownCaller,
  ): { readonly known: KnownCaller; readonly route: Route } | undefined {
    // With a rate limit, a write must be counted before it is stored.
    if (caller.state === "unknown" || this.#limiter) return undefined;
    const route = permitted(call, caller);
    return route instanceof Failure ? undefined : { known: caller, route };
  }

  #acceptAndCount(call: ApiCall, known: KnownCaller): ConfirmedCaller | Failure {
    this.accept(call, known);
    const refusal = this.#count(call, known.key);
    if (refusal) return refusal;
    const route = permitted(call, known);
    return route instanceof Failure ? route : { state: "confirmed", known, route };
  }

  /** Counts the request against the rate limit, if there is one, and adds the header that says what is left. */
  #count({ headers, now }: ApiCall, caller: ApiKey): Failure | undefined {
    if (!this.#limiter) return undefined;
    const { limit } = this.#limiter;
    const { headers: rateLimitHeaders, retryAfterSeconds } = this.#limiter.take(caller.id, now);
    Object.assign(headers, rateLimitHeaders);
    return retryAfterSeconds > 0 ? new Failure("rate_limited", { ...limit, retryAfterSeconds }) : undefined;
  }
}

/** The caller whose key must be looked up again. */
export function forgotten({ token, hash }: KnownCaller): UnknownCaller {
  return { state: "unknown", token, hash };
}

/**
 * The operation that a request names, if the caller's key, as it was last looked up, permits it. Otherwise the failure of
 * path or method, 410 or 403, in the order of the contract.
 */
export function permitted({ match: { route }, now }: ApiCall, { key }: KnownCaller): Route | Failure {
  if (route instanceof Failure) return route;
  const { operation, alsoNeeds } = route;
  const { deprecation, scope } = operation;
  if (deprecation && now >= deprecation.sunset.getTime()) {
    return new Failure("operation_removed", { removedOn: deprecation.sunset, instead: deprecation.instead });
  }
  return refuseWithout(key, scope) ?? refuseWithout(key, alsoNeeds) ?? route;
}

function refuseWithout(
  { scopes }: ApiKey,
  scope: Scope | undefined,
): Failure<"insufficient_scope"> | undefined {
  return scope === undefined || scopes.includes(scope)
    ? undefined
    : new Failure("insufficient_scope", { scope });
}
