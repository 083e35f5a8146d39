/** Tells browsers to use only https (RFC 6797). Only responses over https may say so (section 7.2). */
export class StrictTransport {
  readonly header: Readonly<Record<string, string>>;
  readonly #isTls: boolean;
  readonly #trustProxy: boolean;

  /**
   * @param seconds how long browsers must do so
   * @param isTls whether the service itself speaks TLS
   * @param trustProxy whether a proxy sends us a trustworthy `X-Forwarded-Proto`
   */
  constructor(seconds: number, isTls: boolean, trustProxy: boolean) {
    this.header = { "Strict-Transport-Security": `max-age=${seconds}` };
    this.#isTls = isTls;
    this.#trustProxy = trustProxy;
  }

  appliesTo({ headers }: Request): boolean {
    if (this.#isTls) return true;
    return this.#trustProxy && headers.get("x-forwarded-proto")?.split(",").at(-1)?.trim() === "https";
  }
}
