import type { Answer, Operation } from "../operations/operation.ts";
import { entityTag } from "./entity-tag.ts";
import { writeJson } from "./json-writer.ts";
import { type Rendered, VARY } from "./rendered.ts";
import { BASE_PATH, type Route } from "./routes.ts";

/** Renders what an operation answered. Addresses are relative to the host, so none comes from `Host`. */
export function answerResponse(
  { operation }: Route,
  { status, value, location, next, replayed }: Answer,
): Rendered {
  const body = writeJson(value);
  const headers: Record<string, string> = { "Content-Type": "application/json" };
  if (location !== undefined) headers.Location = BASE_PATH + location;
  // RFC 8288.
  if (next !== undefined) headers.Link = `<${BASE_PATH}${operation.path}?${next}>; rel="next"`;
  if (status === 200) {
    // Kept by the client alone, and only if it asks before each use (RFC 9111).
    headers["Cache-Control"] = "private, no-cache";
    headers.Vary = VARY;
    // A page whose next link appears is another page, though its body is the same.
    headers.ETag = entityTag(body + (headers.Link ?? ""));
  }
  if (!replayed) return { status, headers, body, alike: operation };
  headers["Idempotent-Replayed"] = "true";
  return { status, headers, body };
}

/** Adds the headers of a deprecated operation (RFC 9745, RFC 8594, RFC 5829), which every answer of it carries. */
export function withDeprecation(operation: Operation | undefined, rendered: Rendered): Rendered {
  if (!operation?.deprecation) return rendered;
  const { since, sunset, successor } = operation.deprecation;
  const link = `<${BASE_PATH}${successor}>; rel="successor-version"`;
  return {
    ...rendered,
    headers: {
      ...rendered.headers,
      Deprecation: `@${since.getTime() / 1000}`,
      Sunset: sunset.toUTCString(),
      Link: rendered.headers.Link ? `${rendered.headers.Link}, ${link}` : link,
    },
  };
}
