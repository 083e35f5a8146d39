/** Tells browsers to use https alone (RFC 6797), in responses that go over https and in no others (section 7.2). */
export class StrictTransport {
  readonly header: Readonly<Record<string, string>>;
  readonly #isTls: boolean;
  readonly #trustProxy: boolean;

  /**
   * @param seconds for how long
   * @param isTls whether the service itself speaks TLS
   * @param trustProxy whether a proxy stands before it whose `X-Forwarded-Proto` can be believed
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
