import type { Cors } from "../cors.ts";
import { asksToClose } from "../request/connection-option.ts";
import type { StrictTransport } from "./strict-transport.ts";

/** The headers that every response to a request carries, refusals included. */
export class CommonHeaders {
  readonly #cors: Cors;
  readonly #policy: Readonly<Record<string, string>> | undefined;
  readonly #strictTransport: StrictTransport | undefined;

  /** @param policy the header that describes the rate limit, if there is one */
  constructor(
    cors: Cors,
    policy: Readonly<Record<string, string>> | undefined,
    strictTransport: StrictTransport | undefined,
  ) {
    this.#cors = cors;
    this.#policy = policy;
    this.#strictTransport = strictTransport;
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
