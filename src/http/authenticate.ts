import {
  type ApiKey,
  environmentOf,
  hashApiKey,
  isApiKey,
  type KeyRefusal,
  refusalAt,
} from "../domain/api-key.ts";
import type { Environment } from "../domain/environment.ts";
import { andThen, type Eventual } from "../domain/eventual.ts";
import { Failure } from "../domain/failure.ts";
import { holdsUnder, type Revision } from "../domain/revision.ts";
import type { KeyStore } from "../domain/store.ts";
import { BoundedCache } from "./bounded-cache.ts";

/** RFC 6750, section 2.1; the scheme's case does not matter (RFC 9110, section 11.1). */
const BEARER = /^bearer +(\S+)$/i;

/** How canonical headers begin: what follows is the token, or no token at all. */
const CANONICAL = "Bearer as_";
const SCHEME_LENGTH = "Bearer ".length;

/** Keys remembered at once, in bytes: some 10,000. */
const REMEMBERED_MAX_BYTES = 8 * 1024 * 1024;
/** What a key takes beside its name, roughly, and rather too much. */
const ENTRY_BYTES = 700;

/** A key as it was found under a revision of the keys. */
export interface Remembered {
  readonly key: ApiKey;
  readonly asOf: Revision;
}

/** Tells whose key a request carries. */
export class Authenticator {
  readonly #store: Pick<KeyStore, "findKey">;
  readonly #environment: Environment;
  /** By the key itself; a revoked one fails on its next request, since revoking changes the revision. */
  readonly #remembered = new BoundedCache<Remembered>(REMEMBERED_MAX_BYTES);

  /** @param environment the keys of another count as unknown, though the store may hold them */
  constructor(store: Pick<KeyStore, "findKey">, environment: Environment) {
    this.#store = store;
    this.#environment = environment;
  }

  /** The caller, where the key was found under this revision and is valid; `undefined` otherwise. */
  recall(authorization: string | null, revision: Revision, now: number): ApiKey | undefined {
    const remembered = this.#lastKnown(authorization);
    return remembered && holdsUnder(remembered.asOf, revision, "keys") && !refusalAt(remembered.key, now)
      ? remembered.key
      : undefined;
  }

  /** The caller that a header stood for when it was last looked at, if its key is not known to have ended. */
  presume(authorization: string | null, now: number): Remembered | undefined {
    const remembered = this.#lastKnown(authorization);
    return remembered && !refusalAt(remembered.key, now) ? remembered : undefined;
  }

  /**
   * @param authorization the header, if any
   * @param revision since the request began
   * @param now milliseconds since 1970
   */
  authenticate(
    authorization: string | null,
    revision: Revision,
    now: number,
  ): Eventual<ApiKey | Failure<"unauthorized">> {
    return (
      this.recall(authorization, revision, now) ??
      andThen(this.#look(authorization), (looked) => this.#judge(authorization, looked, revision, now))
    );
  }

  /** The same while the revision is on its way: a key that is not known is looked up meanwhile. */
  async authenticateAhead(
    authorization: string | null,
    asked: Promise<Revision>,
    now: number,
  ): Promise<ApiKey | Failure<"unauthorized">> {
    if (this.presume(authorization, now)) return this.authenticate(authorization, await asked, now);
    const looking = this.#look(authorization);
    if (looking instanceof Promise) looking.catch(() => {});
    const revision = await asked;
    return (
      this.recall(authorization, revision, now) ?? this.#judge(authorization, await looking, revision, now)
    );
  }

  #lastKnown(authorization: string | null): Remembered | undefined {
    const token = tokenOf(authorization);
    return token === undefined ? undefined : this.#remembered.get(token);
  }

  #look(authorization: string | null): Eventual<ApiKey | Failure<"unauthorized">> {
    if (authorization === null) return unauthorized("missing");
    const presented = tokenOf(authorization);
    if (presented === undefined || !isApiKey(presented)) return unauthorized("malformed");
    if (environmentOf(presented) !== this.#environment) return unauthorized("unknown");
    return andThen(this.#store.findKey(hashApiKey(presented)), (key) => key ?? unauthorized("unknown"));
  }

  #judge(
    authorization: string | null,
    looked: ApiKey | Failure<"unauthorized">,
    asOf: Revision,
    now: number,
  ): ApiKey | Failure<"unauthorized"> {
    if (looked instanceof Failure) return looked;
    // A part of a string keeps all of it in memory: here the header, which may have thousands of spaces.
    const token = Buffer.from(tokenOf(authorization) as string).toString();
    this.#remembered.set(token, { key: looked, asOf }, ENTRY_BYTES + 2 * looked.name.length);
    const refusal = refusalAt(looked, now);
    return refusal ? unauthorized(refusal, looked.id) : looked;
  }
}

/** The token of an `Authorization` header; `undefined` where there is none. */
function tokenOf(authorization: string | null): string | undefined {
  if (authorization?.startsWith(CANONICAL)) return authorization.slice(SCHEME_LENGTH);
  return authorization === null ? undefined : BEARER.exec(authorization)?.[1];
}

/** For clients all are the same: the reason is for those who watch. */
function unauthorized(refusal: KeyRefusal, keyId?: number): Failure<"unauthorized"> {
  return new Failure("unauthorized", { refusal, keyId });
}
