import type { Operation } from "../../operations/operation.ts";
import { BASE_PATH } from "../routes.ts";

/** Adds the headers that every response of a deprecated operation carries (RFC 9745, RFC 8594, RFC 5829). */
export function addDeprecation(headers: Record<string, string>, { deprecation }: Operation): void {
  if (!deprecation) return;
  const { since, sunset, successor } = deprecation;
  const link = `<${BASE_PATH}${successor}>; rel="successor-version"`;
  headers.Deprecation = `@${since.getTime() / 1000}`;
  headers.Sunset = sunset.toUTCString();
  headers.Link = headers.Link ? `${headers.Link}, ${link}` : link;
}
