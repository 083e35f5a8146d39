import {
  type ApiKey,
  environmentOf,
  hashApiKey,
  isApiKey,
  type KeyRefusal,
  refusalAt,
} from "../domain/api-key.ts";
import type { Environment } from "../domain/environment.ts";
import { Failure } from "../domain/failure.ts";
import type { Revision } from "../domain/revision.ts";
import { BoundedCache } from "./cache/bounded-cache.ts";
import type { KnownCaller, Presented, UnknownCaller } from "./caller.ts";

/** RFC 6750, section 2.1; the scheme's case does not matter (RFC 9110, section 11.1). */
const BEARER = /^bearer +(\S+)$/i;

/** The beginning of a header as most clients write it; the rest is the token. */
const CANONICAL = "Bearer as_";
const SCHEME_LENGTH = "Bearer ".length;

/** Keys in the cache at once, in bytes: some 10,000. */
const CACHE_MAX_BYTES = 8 * 1024 * 1024;
/** The size of an entry without the name of its key, in bytes; a generous estimate. */
const ENTRY_BYTES = 700;

/** Finds out whose key a request carries. */
export class Authenticator {
  readonly #environment: Environment;
  /** By the key itself. A revoked key fails on its next request, since revoking changes the revision. */
  readonly #lookedUp = new BoundedCache<KnownCaller>(CACHE_MAX_BYTES);

  /** @param environment keys of the other environment count as unknown, though the store may hold them */
  constructor(environment: Environment) {
    this.#environment = environment;
  }

  /**
   * Recognizes a caller whose key was looked up before, unless the key has expired since. It may have been revoked.
   *
   * @param authorization the header, if any
   * @param now milliseconds since 1970
   * @returns a failure if no key of this environment has the form of what was presented
   */
  recognize(
    authorization: string | null,
    now: number,
  ): KnownCaller | UnknownCaller | Failure<"unauthorized"> {
    if (authorization === null) return unauthorized("missing");
    const token = tokenOf(authorization);
    if (token === undefined) return unauthorized("malformed");
    const known = this.#lookedUp.get(token);
    if (known && !refusalAt(known.key, now)) return known;
    if (!isApiKey(token)) return unauthorized("malformed");
    if (environmentOf(token) !== this.#environment) return unauthorized("unknown");
    return { state: "unknown", token, hash: hashApiKey(token) };
  }

  /**
   * Judges the result of a lookup, and remembers it.
   *
   * @param found the key with that hash
   * @param asOf a revision from before it was looked up
   * @param now milliseconds since 1970
   */
  judge(
    { token: presented, hash }: Presented,
    found: ApiKey | undefined,
    asOf: Revision,
    now: number,
  ): KnownCaller | Failure<"unauthorized"> {
    if (!found) return unauthorized("unknown");
    // A substring keeps the whole string in memory: here the header, which may have thousands of spaces.
    const token = Buffer.from(presented).toString();
    const known: KnownCaller = { state: "known", token, hash, key: found, asOf };
    this.#lookedUp.set(token, known, ENTRY_BYTES + 2 * found.name.length);
    const refusal = refusalAt(found, now);
    return refusal ? unauthorized(refusal, found.id) : known;
  }
}

/** The token of an `Authorization` header, if it has one. */
export function tokenOf(authorization: string | null): string | undefined {
  if (authorization?.startsWith(CANONICAL)) return authorization.slice(SCHEME_LENGTH);
  return authorization === null ? undefined : BEARER.exec(authorization)?.[1];
}

/** Clients are not told the reason; observers are. */
function unauthorized(refusal: KeyRefusal, keyId?: number): Failure<"unauthorized"> {
  return new Failure("unauthorized", { refusal, keyId });
}
