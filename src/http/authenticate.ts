import { type ApiKey, hashApiKey, isApiKey, type KeyRefusal, refusalAt } from "../domain/api-key.ts";
import { Failure } from "../domain/failure.ts";
import type { KeyStore } from "../domain/store.ts";
import { BoundedCache } from "./bounded-cache.ts";

/** RFC 6750, section 2.1; the scheme's case does not matter (RFC 9110, section 11.1). */
const BEARER = /^bearer +(\S+)$/i;

const KEYS_REMEMBERED = 10_000;

/** A key as it was found under a revision of the keys. */
interface Remembered {
  readonly key: ApiKey;
  readonly asOf: number;
}

/** Tells whose key a request carries. */
export class Authenticator {
  readonly #store: Pick<KeyStore, "findKey">;
  /** By the whole header; a revoked key fails on its next request, since revoking changes the revision. */
  readonly #remembered = new BoundedCache<Remembered>(KEYS_REMEMBERED);

  constructor(store: Pick<KeyStore, "findKey">) {
    this.#store = store;
  }

  /** The caller, where the key was found under this revision and is valid; `undefined` otherwise. */
  recall(authorization: string | null, revision: number, now: number): ApiKey | undefined {
    const remembered = authorization === null ? undefined : this.#remembered.get(authorization);
    return remembered && remembered.asOf >= revision && !refusalAt(remembered.key, now)
      ? remembered.key
      : undefined;
  }

  /**
   * @param authorization the header, if any
   * @param revision the keys' revision since the request began
   * @param now milliseconds since 1970
   */
  async authenticate(
    authorization: string | null,
    revision: number,
    now: number,
  ): Promise<ApiKey | Failure<"unauthorized">> {
    return this.recall(authorization, revision, now) ?? this.#find(authorization, revision, now);
  }

  async #find(
    authorization: string | null,
    revision: number,
    now: number,
  ): Promise<ApiKey | Failure<"unauthorized">> {
    if (authorization === null) return unauthorized("missing");
    const presented = BEARER.exec(authorization)?.[1];
    if (presented === undefined || !isApiKey(presented)) return unauthorized("malformed");
    const key = await this.#store.findKey(hashApiKey(presented));
    if (!key) return unauthorized("unknown");
    this.#remembered.set(authorization, { key, asOf: revision }, 1);
    const refusal = refusalAt(key, now);
    return refusal ? unauthorized(refusal, key.id) : key;
  }
}

/** For clients all are the same: the reason is for those who watch. */
function unauthorized(refusal: KeyRefusal, keyId?: number): Failure<"unauthorized"> {
  return new Failure("unauthorized", { refusal, keyId });
}
