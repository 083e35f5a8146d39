import { type ApiKey, hashApiKey, isApiKey, type KeyRefusal, refusalAt } from "../domain/api-key.ts";
import { Failure } from "../domain/failure.ts";
import type { KeyStore, Revision } from "../domain/store.ts";
import { BoundedCache } from "./bounded-cache.ts";

/** RFC 6750, section 2.1; the scheme's case does not matter (RFC 9110, section 11.1). */
const BEARER = /^bearer +(\S+)$/i;

const KEYS_REMEMBERED = 10_000;

/** A key as it was found under a revision of the keys. */
export interface Remembered {
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

  /** The caller that a header stood for when it was last looked at, if its key is not known to have ended. */
  presume(authorization: string | null, now: number): Remembered | undefined {
    const remembered = authorization === null ? undefined : this.#remembered.get(authorization);
    return remembered && !refusalAt(remembered.key, now) ? remembered : undefined;
  }

  /**
   * @param authorization the header, if any
   * @param revision since the request began; while it is on its way, a key that is not known is looked up
   * @param now milliseconds since 1970
   */
  async authenticate(
    authorization: string | null,
    revision: Revision | Promise<Revision>,
    now: number,
  ): Promise<ApiKey | Failure<"unauthorized">> {
    const early =
      revision instanceof Promise && !this.presume(authorization, now)
        ? this.#look(authorization)
        : undefined;
    early?.catch(() => {});
    const { keys } = revision instanceof Promise ? await revision : revision;
    const known = this.recall(authorization, keys, now);
    if (known) return known;
    const looked = await (early ?? this.#look(authorization));
    if (looked instanceof Failure) return looked;
    this.#remembered.set(authorization as string, { key: looked, asOf: keys }, 1);
    const refusal = refusalAt(looked, now);
    return refusal ? unauthorized(refusal, looked.id) : looked;
  }

  async #look(authorization: string | null): Promise<ApiKey | Failure<"unauthorized">> {
    if (authorization === null) return unauthorized("missing");
    const presented = BEARER.exec(authorization)?.[1];
    if (presented === undefined || !isApiKey(presented)) return unauthorized("malformed");
    return (await this.#store.findKey(hashApiKey(presented))) ?? unauthorized("unknown");
  }
}

/** For clients all are the same: the reason is for those who watch. */
function unauthorized(refusal: KeyRefusal, keyId?: number): Failure<"unauthorized"> {
  return new Failure("unauthorized", { refusal, keyId });
}
