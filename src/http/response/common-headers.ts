import type { Cors } from "../cors.ts";
import type { ServerOptions } from "../options.ts";
import { policyHeader } from "../rate-limit/rate-limit.ts";
import { asksToClose } from "../request/connection-option.ts";
import { StrictTransport } from "./strict-transport.ts";

/** The headers that every response to a request carries, refusals included. */
export class CommonHeaders {
  readonly #cors: Cors;
  readonly #policy: Readonly<Record<string, string>> | undefined;
  readonly #strictTransport: StrictTransport | undefined;

  constructor(cors: Cors, { rateLimit, hstsSeconds, tls, trustProxy }: ServerOptions) {
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
