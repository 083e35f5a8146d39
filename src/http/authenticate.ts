import { type ApiKey, hashApiKey, isApiKey, isValidAt } from "../domain/api-key.ts";
import { Failure } from "../domain/failure.ts";
import type { Store } from "../domain/store.ts";
import { FreshCache } from "./fresh-cache.ts";

/** RFC 6750, section 2.1; the scheme's case does not matter (RFC 9110, section 11.1). */
const BEARER = /^bearer +(\S+)$/i;

/** One for all, so that no difference tells why a key was refused. */
const UNAUTHORIZED = new Failure("unauthorized", {});

const KEYS_REMEMBERED = 10_000;

/** Tells whose key a request carries. */
export class Authenticator {
  readonly #store: Pick<Store, "findKey" | "revision">;
  /** By the key itself; a revoked key fails on its next request, since revoking changes the store. */
  readonly #known: FreshCache<ApiKey>;

  constructor(store: Pick<Store, "findKey" | "revision">) {
    this.#store = store;
    this.#known = new FreshCache(() => store.revision(), KEYS_REMEMBERED);
  }

  /**
   * @param authorization the header, if any
   * @param now milliseconds since 1970
   */
  async authenticate(authorization: string | null, now: number): Promise<ApiKey | Failure<"unauthorized">> {
    const presented = authorization === null ? undefined : BEARER.exec(authorization)?.[1];
    if (presented === undefined) return UNAUTHORIZED;
    const key = this.#known.get(presented) ?? (await this.#find(presented));
    return key && isValidAt(key, now) ? key : UNAUTHORIZED;
  }

  async #find(presented: string): Promise<ApiKey | undefined> {
    if (!isApiKey(presented)) return undefined;
    const asOf = this.#known.asOf();
    const key = await this.#store.findKey(hashApiKey(presented));
    if (key) this.#known.set(presented, key, asOf, 1);
    return key;
  }
}
