import type { ApiKey } from "../domain/api-key.ts";
import type { Environment } from "../domain/environment.ts";
import { Failure } from "../domain/failure.ts";
import { holdsUnder, type Revision } from "../domain/revision.ts";
import { Authenticator } from "./authenticate.ts";
import type { Exchange } from "./exchange.ts";
import type { RateLimiter } from "./rate-limit/rate-limit.ts";
import { refusalOf } from "./refusal.ts";

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
   * Identifies the caller by its key, if the store was asked for it, or by the key's last lookup, if no key has changed
   * since. Otherwise the caller stays unknown, and its key must be looked up.
   *
   * @param revision not older than the request
   */
  identify(exchange: Exchange, revision: Revision): void {
    const { asked, known, reply, error, authorization, now } = exchange;
    if (asked === "key") {
      if (error !== undefined) throw error;
      const judged = this.#authenticator.judge(authorization, reply as ApiKey | undefined, revision, now);
      exchange.known = judged instanceof Failure ? undefined : judged;
      exchange.caller = judged instanceof Failure ? judged : judged.key;
    } else if (known && holdsUnder(known.asOf, revision, "keys")) exchange.caller = known.key;
    else exchange.known = undefined;
  }

  /** Counts the request against the rate limit, if there is one, and adds the header that says what is left. */
  count({ caller, headers, now }: Exchange): Failure | undefined {
    if (!this.#limiter || !caller || caller instanceof Failure) return undefined;
    const { limit } = this.#limiter;
    const { headers: standing, retryAfterSeconds } = this.#limiter.take(caller.id, now);
    Object.assign(headers, standing);
    return retryAfterSeconds > 0 ? new Failure("rate_limited", { ...limit, retryAfterSeconds }) : undefined;
  }

  /** Why the caller may not do what it asks for. Before the caller is identified, its last known key decides. */
  refusal({ caller, known, match, now }: Exchange): Failure | undefined {
    const key = caller ?? known?.key;
    return key && match && refusalOf(key, match.route, now);
  }

  /** Whether a create may go ahead before its caller is identified: the statement that stores it checks the keys itself. */
  mayGoAhead(exchange: Exchange): boolean {
    // With a rate limit, a create must be counted before it is stored.
    return exchange.known !== undefined && !this.#limiter && !this.refusal(exchange);
  }
}
