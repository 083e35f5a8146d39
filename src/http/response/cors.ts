import type { Operation } from "../../operations/operation.ts";
import { withHead } from "../request/routes.ts";
import type { HttpResponse } from "./http-response.ts";

/** The origins whose pages may call the service: any, or a list. */
export type AllowedOrigins = "*" | readonly string[];

/** Request headers of every operation; each operation declares its own besides. */
const COMMON_HEADERS = ["Authorization", "Content-Type", "If-None-Match", "X-Request-Id"];
const EXPOSED_HEADERS = [
  "Accept-Encoding",
  "Allow",
  "Deprecation",
  "ETag",
  "Idempotent-Replayed",
  "Link",
  "Location",
  "RateLimit",
  "RateLimit-Policy",
  "Retry-After",
  "Sunset",
  "WWW-Authenticate",
  "X-Content-Type-Options",
  "X-Request-Id",
];
/** A day, in seconds: no browser caches a preflight for longer. */
const PREFLIGHT_MAX_AGE = "86400";

/** Lets pages of other origins call the service (Fetch standard, CORS protocol). */
export class Cors {
  readonly #origins: AllowedOrigins;
  readonly #methods: string;
  readonly #headers: string;
  readonly #exposed: string;

  constructor(origins: AllowedOrigins, operations: readonly Operation[]) {
    this.#origins = origins;
    const methods = new Set(operations.map(({ method }) => method));
    const own = operations.flatMap(({ parameters }) =>
      Object.keys(parameters).filter((name) => parameters[name]?.in === "header"),
    );
    this.#methods = withHead(methods).toSorted().join(", ");
    this.#headers = [...new Set([...COMMON_HEADERS, ...own])].toSorted().join(", ");
    this.#exposed = EXPOSED_HEADERS.join(", ");
  }

  /** The headers of every response to a page, refusals included: without them the page could not read it. */
  headersFor(origin: string): Record<string, string> {
    const allowed = this.#allow(origin);
    return allowed === undefined
      ? {}
      : { "Access-Control-Allow-Origin": allowed, "Access-Control-Expose-Headers": this.#exposed };
  }

  /** The response to a preflight, which needs no key; `undefined` if a request with the method OPTIONS is not one. */
  preflight(request: Request): HttpResponse | undefined {
    const origin = request.headers.get("origin");
    if (origin === null || !request.headers.has("access-control-request-method")) return undefined;
    const allowed = this.#allow(origin);
    return {
      status: 204,
      headers: {
        Vary: "Origin, Access-Control-Request-Method, Access-Control-Request-Headers",
        ...(allowed !== undefined && {
          "Access-Control-Allow-Methods": this.#methods,
          "Access-Control-Allow-Headers": this.#headers,
          "Access-Control-Max-Age": PREFLIGHT_MAX_AGE,
        }),
      },
      body: null,
    };
  }

  #allow(origin: string): string | undefined {
    if (this.#origins === "*") return "*";
    return this.#origins.includes(origin) ? origin : undefined;
  }
}
