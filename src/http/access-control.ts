import type { ApiKey, Scope } from "../domain/api-key.ts";
import type { Environment } from "../domain/environment.ts";
import { Failure } from "../domain/failure.ts";
import { isValidAt, type Revision } from "../domain/revision.ts";
import { Authenticator } from "./authenticate.ts";
import type { Call } from "./call.ts";
import type { KeyUses } from "./key-uses.ts";
import type { RateLimiter } from "./rate-limit/rate-limit.ts";

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
  recognize(call: Call): Failure | undefined {
    const { authorization, now } = call;
    call.known = this.#authenticator.lastKnown(authorization, now);
    if (call.known) return undefined;
    const hash = this.#authenticator.hashOf(authorization);
    if (!(hash instanceof Failure)) return undefined;
    call.caller = hash;
    return hash;
  }

  /** The hash by which the store finds the presented key. */
  hashOf({ authorization }: Call): Uint8Array {
    return this.#authenticator.hashOf(authorization) as Uint8Array;
  }

  /**
   * Judges the key that was looked up: true at some time since the request arrived.
   *
   * @param asOf a revision from before it was looked up
   * @returns why the caller may not do what it asks for
   */
  admit(call: Call, found: ApiKey | undefined, asOf: Revision): Failure | undefined {
    const judged = this.#authenticator.judge(call.authorization, found, asOf, call.now);
    if (judged instanceof Failure) {
      call.caller = judged;
      return judged;
    }
    call.known = judged;
    return this.#acceptAndCount(call, judged.key);
  }

  /**
   * Confirms the caller by the key's last lookup, if no key has changed since; otherwise the key must be looked up again. A
   * caller is confirmed and counted once.
   *
   * @param revision not older than the request
   * @returns why the caller may not do what it asks for
   */
  confirm(call: Call, revision: Revision): Failure | undefined {
    const { caller, known } = call;
    if (caller || !known) return undefined;
    if (isValidAt(known.asOf, revision, "keys")) return this.#acceptAndCount(call, known.key);
    call.known = undefined;
    return undefined;
  }

  #acceptAndCount(call: Call, caller: ApiKey): Failure | undefined {
    this.accept(call, caller);
    return this.#count(call, caller) ?? this.refusal(call);
  }

  /** Notes whose key the request carries: the key was valid at some time since the request arrived. */
  accept(call: Call, caller: ApiKey): void {
    call.caller = caller;
    this.#uses.note(caller.id, call.now);
  }

  /** Counts the request against the rate limit, if there is one, and adds the header that says what is left. */
  #count({ headers, now }: Call, caller: ApiKey): Failure | undefined {
    if (!this.#limiter) return undefined;
    const { limit } = this.#limiter;
    const { headers: rateLimitHeaders, retryAfterSeconds } = this.#limiter.take(caller.id, now);
    Object.assign(headers, rateLimitHeaders);
    return retryAfterSeconds > 0 ? new Failure("rate_limited", { ...limit, retryAfterSeconds }) : undefined;
  }

  /**
   * Why the caller may not do what it asks for, in the order of the contract: 401, the failure of path or method, 410, 403.
   * Before the caller is confirmed, its last known key decides.
   */
  refusal({ caller, known, match, now }: Call): Failure | undefined {
    const key = caller ?? known?.key;
    if (!key || !match) return undefined;
    if (key instanceof Failure) return key;
    if (match.route instanceof Failure) return match.route;
    const { operation, alsoNeeds } = match.route;
    const { deprecation, scope } = operation;
    if (deprecation && now >= deprecation.sunset.getTime()) {
      return new Failure("operation_removed", {
        removedOn: deprecation.sunset,
        instead: deprecation.instead,
      });
    }
    return refuseWithout(key, scope) ?? (alsoNeeds && refuseWithout(key, alsoNeeds));
  }

  /** Whether a write may go ahead before its caller is confirmed: the store takes it only if no key has changed. */
  mayGoAhead(call: Call): boolean {
    // With a rate limit, a write must be counted before it is stored.
    return call.known !== undefined && !this.#limiter && !this.refusal(call);
  }
}

function refuseWithout({ scopes }: ApiKey, scope: Scope): Failure<"insufficient_scope"> | undefined {
  return scopes.includes(scope) ? undefined : new Failure("insufficient_scope", { scope });
}
