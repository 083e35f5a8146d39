import type { Operation } from "../operations/operation.ts";
import type { Rendered } from "./response/rendered.ts";
import { withHead } from "./routes.ts";

/** The origins whose pages may call the service: any, or those named. */
export type AllowedOrigins = "*" | readonly string[];

/** Headers that every operation takes; an operation declares its own. */
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
].join(", ");
/** Seconds; the most that any browser honours is a day. */
const PREFLIGHT_MAX_AGE = "86400";

/** Lets pages of other origins call the service, as the Fetch standard has it. */
export class Cors {
  readonly #origins: AllowedOrigins;
  readonly #methods: string;
  readonly #headers: string;

  constructor(origins: AllowedOrigins, operations: readonly Operation[]) {
    this.#origins = origins;
    const methods = new Set(operations.map(({ method }) => method));
    const own = operations.flatMap(({ parameters }) =>
      Object.keys(parameters).filter((name) => parameters[name]?.in === "header"),
    );
    this.#methods = withHead(methods).toSorted().join(", ");
    this.#headers = [...new Set([...COMMON_HEADERS, ...own])].toSorted().join(", ");
  }

  /** The headers of any answer to a page, refusals too: without them the page could not read it. */
  headersFor(origin: string): Record<string, string> {
    const allowed = this.#allow(origin);
    return allowed === undefined
      ? {}
      : { "Access-Control-Allow-Origin": allowed, "Access-Control-Expose-Headers": EXPOSED_HEADERS };
  }

  /** The answer to a preflight, which needs no key; `undefined` when the request is none. */
  preflight(request: Request): Rendered | undefined {
    if (request.method !== "OPTIONS") return undefined;
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
