import { linkTo } from "./link.ts";
import type { ResponseHeaders } from "./platform.ts";

/** A notice that an operation will be removed. */
export interface DeprecationNotice {
  /** Its `operationId`. */
  readonly operation: string;
  /** When it became deprecated (`Deprecation`, RFC 9745). */
  readonly since: Date | undefined;
  /** When the service begins to answer it with 410 (`Sunset`, RFC 8594). */
  readonly sunset: Date | undefined;
  /** The address of its replacement (`Link` with `rel="successor-version"`, RFC 8288). */
  readonly successor: string | undefined;
}

/** Reads the deprecation headers of a response; undefined if its operation is not deprecated. */
export function deprecationOf(operation: string, headers: ResponseHeaders): DeprecationNotice | undefined {
  const since = headers.get("deprecation");
  if (since === null) return undefined;
  return {
    operation,
    since: dateOf(Number(since.slice(1)) * 1000),
    sunset: dateOf(Date.parse(headers.get("sunset") ?? "")),
    successor: linkTo("successor-version", headers.get("link")),
  };
}

/** Reports a deprecated operation where the program does not ask for the notice itself. */
export function warnOfDeprecation({ operation, sunset, successor }: DeprecationNotice): void {
  const end = sunset ? ` and ends on ${sunset.toISOString().slice(0, 10)}` : "";
  console.warn(`animal-store: ${operation} is deprecated${end}${successor ? `; use ${successor}` : ""}`);
}

function dateOf(ms: number): Date | undefined {
  return Number.isNaN(ms) ? undefined : new Date(ms);
}
