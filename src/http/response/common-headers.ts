import { policyHeader, type RateLimit } from "../rate-limit/rate-limit.ts";
import type { Cors } from "./cors.ts";

interface Options {
  readonly rateLimit: RateLimit | undefined;
  readonly hstsSeconds: number | undefined;
  readonly tls?: unknown;
  readonly trustProxy: boolean;
}

/** The headers that every response to a request carries, refusals included. */
export class CommonHeaders {
  readonly #cors: Cors;
  readonly #policy: Readonly<Record<string, string>> | undefined;
  readonly #strictTransport: StrictTransport | undefined;

  constructor(cors: Cors, { rateLimit, hstsSeconds, tls, trustProxy }: Options) {
    this.#cors = cors;
    this.#policy = rateLimit && policyHeader(rateLimit);
    this.#strictTransport =
      hstsSeconds === undefined ? undefined : new StrictTransport(hstsSeconds, tls !== undefined, trustProxy);
  }

  /** @param now milliseconds since 1970 */
  of(request: Request, now: number): Record<string, string> {
    const origin = request.headers.get("origin");
    const headers = origin === null ? {} : this.#cors.headersFor(origin);
    if (this.#policy) Object.assign(headers, this.#policy);
    // The runtime adds `Date` to all other responses.
    if (request.method === "HEAD") headers.Date = new Date(now).toUTCString();
    if (asksToClose(request.headers.get("connection"))) headers.Connection = "close";
    if (this.#strictTransport?.appliesTo(request)) Object.assign(headers, this.#strictTransport.header);
    return headers;
  }
}

/** Tells browsers to use only https (RFC 6797). Only responses over https may say so (section 7.2). */
class StrictTransport {
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

const CLOSE = /(?:^|,)[ \t]*close[ \t]*(?:,|$)/i;

/** Whether a `Connection` asks to close the connection after the response (RFC 9112, section 9.6). */
export function asksToClose(connection: string | null): boolean {
  return connection !== null && connection !== "keep-alive" && CLOSE.test(connection);
}
