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
  /** By the key itself; a revoked key fails on its next request, since revoking changes the revision. */
  readonly #remembered = new BoundedCache<Remembered>(KEYS_REMEMBERED);

  constructor(store: Pick<KeyStore, "findKey">) {
    this.#store = store;
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
    const presented = authorization === null ? undefined : BEARER.exec(authorization)?.[1];
    if (presented === undefined) return UNAUTHORIZED;
    const remembered = this.#remembered.get(presented);
    const key =
      remembered && remembered.asOf >= revision ? remembered.key : await this.#find(presented, revision);
    return key && isValidAt(key, now) ? key : UNAUTHORIZED;
  }

  async #find(presented: string, revision: number): Promise<ApiKey | undefined> {
    if (!isApiKey(presented)) return undefined;
    const key = await this.#store.findKey(hashApiKey(presented));
    if (key) this.#remembered.set(presented, { key, asOf: revision }, 1);
    return key;
  }
}
