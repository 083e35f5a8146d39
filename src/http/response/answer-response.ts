import { entityTag } from "../../domain/entity-tag.ts";
import { writeJson } from "../../domain/json-writer.ts";
import type { Answer, Operation } from "../../operations/operation.ts";
import { BASE_PATH } from "../routes.ts";
import { addDeprecation } from "./deprecation.ts";
import { type Rendered, VARY } from "./rendered.ts";

/** Renders the answer of an operation. Its URLs are relative to the host, so nothing is copied from `Host`. */
export function answerResponse(
  operation: Operation,
  { status, value, location, next, replayed }: Answer,
): Rendered {
  const body = writeJson(value);
  const headers: Record<string, string> = { "Content-Type": "application/json" };
  if (location !== undefined) headers.Location = BASE_PATH + location;
  // RFC 8288.
  if (next !== undefined) headers.Link = `<${BASE_PATH}${operation.path}?${next}>; rel="next"`;
  if (operation.method === "GET") {
    // Only the client may cache it, and must revalidate it before each use (RFC 9111).
    headers["Cache-Control"] = "private, no-cache";
    headers.Vary = operation.streams ? `Accept, ${VARY}` : VARY;
    // A page that gains a next link is another version, though its body is the same.
    headers.ETag = entityTag(body + (headers.Link ?? ""));
  }
  addDeprecation(headers, operation);
  if (!replayed) return { status, headers, body, headerTemplate: operation };
  headers["Idempotent-Replayed"] = "true";
  return { status, headers, body };
}
