import type { ApiKey } from "../domain/api-key.ts";
import type { Environment } from "../domain/environment.ts";
import { Failure } from "../domain/failure.ts";
import { holdsUnder, type Revision } from "../domain/revision.ts";
import { Authenticator } from "./authenticate.ts";
import type { Exchange } from "./exchange.ts";
import type { RateLimiter } from "./rate-limit/rate-limit.ts";

/** Finds out who makes a request, and whether that caller may make it. */
export class AccessControl {
  readonly #authenticator: Authenticator;
  readonly #limiter: RateLimiter | undefined;

  constructor(environment: Environment, limiter: RateLimiter | undefined) {
    this.#authenticator = new Authenticator(environment);
    this.#limiter = limiter;
  }

  /** Recognizes a caller that was seen before. Returns a failure if no key of this service has the form of what it presented. */
  recognize(exchange: Exchange): Failure | undefined {
    const { authorization, now } = exchange;
    exchange.known = this.#authenticator.lastKnown(authorization, now);
    if (exchange.known) return undefined;
    const hash = this.#authenticator.hashOf(authorization);
    if (!(hash instanceof Failure)) return undefined;
    exchange.caller = hash;
    return hash;
  }

  /** The hash by which the store finds the presented key. */
  hashOf({ authorization }: Exchange): Uint8Array {
    return this.#authenticator.hashOf(authorization) as Uint8Array;
  }

  /**
   * Confirms the caller by its key, if the store was asked for it, or by the key's last lookup, if no key has changed
   * since. Otherwise the caller stays unknown, and its key must be looked up. A caller is confirmed and counted once.
   *
   * @param revision not older than the request
   * @returns why the caller may not do what it asks for
   */
  confirm(exchange: Exchange, revision: Revision): Failure | undefined {
    if (exchange.caller) return undefined;
    const { asked, known, authorization, now } = exchange;
    if (asked === "key") {
      const found = exchange.takeReply() as ApiKey | undefined;
      const judged = this.#authenticator.judge(authorization, found, revision, now);
      exchange.known = judged instanceof Failure ? undefined : judged;
      exchange.caller = judged instanceof Failure ? judged : judged.key;
    } else if (known && holdsUnder(known.asOf, revision, "keys")) exchange.caller = known.key;
    else {
      exchange.known = undefined;
      return undefined;
    }
    return this.#count(exchange) ?? this.refusal(exchange);
  }

  /** Counts the request against the rate limit, if there is one, and adds the header that says what is left. */
  #count({ caller, headers, now }: Exchange): Failure | undefined {
    if (!this.#limiter || !caller || caller instanceof Failure) return undefined;
    const { limit } = this.#limiter;
    const { headers: standing, retryAfterSeconds } = this.#limiter.take(caller.id, now);
    Object.assign(headers, standing);
    return retryAfterSeconds > 0 ? new Failure("rate_limited", { ...limit, retryAfterSeconds }) : undefined;
  }

  /**
   * Why the caller may not do what it asks for, in the order of the contract: 401, the failure of path or method, 410, 403.
   * Before the caller is confirmed, its last known key decides.
   */
  refusal({ caller, known, match, now }: Exchange): Failure | undefined {
    const key = caller ?? known?.key;
    if (!key || !match) return undefined;
    if (key instanceof Failure) return key;
    if (match.route instanceof Failure) return match.route;
    const { deprecation, scope } = match.route.operation;
    if (deprecation && now >= deprecation.sunset.getTime()) {
      return new Failure("operation_removed", {
        removedOn: deprecation.sunset,
        instead: deprecation.instead,
      });
    }
    return key.scopes.includes(scope) ? undefined : new Failure("insufficient_scope", { scope });
  }

  /** Whether a write may go ahead before its caller is confirmed: the statement that stores it checks the keys itself. */
  mayGoAhead(exchange: Exchange): boolean {
    // With a rate limit, a write must be counted before it is stored.
    return exchange.known !== undefined && !this.#limiter && !this.refusal(exchange);
  }
}
