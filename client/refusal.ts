import {
  type AnimalStoreError,
  type Call,
  type ErrorBody,
  nameOf,
  ServiceError,
  UnexpectedResponseError,
} from "./errors.ts";
import { ERROR_CLASSES } from "./errors-by-code.ts";
import { retryAfterMs } from "./retry-after.ts";

/** The error for a response that is not a success. */
export function refusalOf({ status, headers }: Response, text: string, sent: Call): AnimalStoreError {
  const call = { ...sent, requestId: headers.get("x-request-id") ?? sent.requestId };
  // The service's clock may differ from this machine's.
  const now = Date.parse(headers.get("date") ?? "") || Date.now();
  const wait = retryAfterMs(headers.get("retry-after") ?? "", now);
  const body = status >= 400 ? errorBodyOf(text) : undefined;
  if (body) return new (ERROR_CLASSES[nameOf(body.code)] ?? ServiceError)(body, status, call, wait);
  // The client follows no redirect.
  const location = headers.get("location");
  const what = location ? `a redirect to ${location}` : excerpt(text);
  // A proxy gives its name; the service gives none.
  const server = headers.get("server");
  const sender = server ? ` from ${server}` : "";
  return new UnexpectedResponseError(
    `${call.operation}: the response is ${status}${sender} with ${what}`,
    status,
    call,
    wait,
  );
}

/** The beginning of a text, quoted, for a message. */
export function excerpt(text: string): string {
  return JSON.stringify(text.length > 100 ? `${text.slice(0, 100)}…` : text);
}

function errorBodyOf(text: string): ErrorBody | undefined {
  try {
    const { code, message } = JSON.parse(text);
    return typeof code === "string" && typeof message === "string" ? { code, message } : undefined;
  } catch {
    return undefined;
  }
}
