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

/** RFC 6750, section 2.1; the scheme's case does not matter (RFC 9110, section 11.1). */
const BEARER = /^bearer +(\S+)$/i;

/** The beginning of a header as most clients write it; the rest is the token. */
const CANONICAL = "Bearer as_";
const SCHEME_LENGTH = "Bearer ".length;

/** Keys in the cache at once, in bytes: some 10,000. */
const CACHE_MAX_BYTES = 8 * 1024 * 1024;
/** The size of an entry without the name of its key, in bytes; a generous estimate. */
const ENTRY_BYTES = 700;

/** A key, and the revision of the keys under which it was looked up. */
export interface CachedKey {
  readonly key: ApiKey;
  readonly asOf: Revision;
}

/** Finds out whose key a request carries. */
export class Authenticator {
  readonly #environment: Environment;
  /** By the key itself. A revoked key fails on its next request, since revoking changes the revision. */
  readonly #lookedUp = new BoundedCache<CachedKey>(CACHE_MAX_BYTES);

  /** @param environment keys of the other environment count as unknown, though the store may hold them */
  constructor(environment: Environment) {
    this.#environment = environment;
  }

  /**
   * The key as it was when it was last looked up, unless it has expired since. It may have been revoked.
   *
   * @param authorization the header, if any
   * @param now milliseconds since 1970
   */
  lastKnown(authorization: string | null, now: number): CachedKey | undefined {
    const token = tokenOf(authorization);
    const cached = token === undefined ? undefined : this.#lookedUp.get(token);
    return cached && !refusalAt(cached.key, now) ? cached : undefined;
  }

  /** The hash by which the store finds the key; a failure if no key of this environment has this form. */
  hashOf(authorization: string | null): Uint8Array | Failure<"unauthorized"> {
    if (authorization === null) return unauthorized("missing");
    const presented = tokenOf(authorization);
    if (presented === undefined || !isApiKey(presented)) return unauthorized("malformed");
    if (environmentOf(presented) !== this.#environment) return unauthorized("unknown");
    return hashApiKey(presented);
  }

  /**
   * Judges the result of a lookup, and remembers it.
   *
   * @param found the key with that hash
   * @param asOf a revision from before it was looked up
   */
  judge(
    authorization: string | null,
    found: ApiKey | undefined,
    asOf: Revision,
    now: number,
  ): CachedKey | Failure<"unauthorized"> {
    if (!found) return unauthorized("unknown");
    // A substring keeps the whole string in memory: here the header, which may have thousands of spaces.
    const token = Buffer.from(tokenOf(authorization) as string).toString();
    const cached = { key: found, asOf };
    this.#lookedUp.set(token, cached, ENTRY_BYTES + 2 * found.name.length);
    const refusal = refusalAt(found, now);
    return refusal ? unauthorized(refusal, found.id) : cached;
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
