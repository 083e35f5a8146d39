import { type ApiKey, hashApiKey, isApiKey, isValidAt } from "../domain/api-key.ts";
import { Failure } from "../domain/failure.ts";
import type { KeyStore } from "../domain/store.ts";
import { BoundedCache } from "./bounded-cache.ts";

/** RFC 6750, section 2.1; the scheme's case does not matter (RFC 9110, section 11.1). */
const BEARER = /^bearer +(\S+)$/i;

/** One for all, so that no difference tells why a key was refused. */
const UNAUTHORIZED = new Failure("unauthorized", {});

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
    return remembered && remembered.asOf >= revision && isValidAt(remembered.key, now)
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
    return (
      this.recall(authorization, revision, now) ??
      (await this.#find(authorization, revision, now)) ??
      UNAUTHORIZED
    );
  }

  async #find(authorization: string | null, revision: number, now: number): Promise<ApiKey | undefined> {
    const presented = authorization === null ? undefined : BEARER.exec(authorization)?.[1];
    if (authorization === null || presented === undefined || !isApiKey(presented)) return undefined;
    const key = await this.#store.findKey(hashApiKey(presented));
    if (key) this.#remembered.set(authorization, { key, asOf: revision }, 1);
    return key && isValidAt(key, now) ? key : undefined;
  }
}
