import type { Logger } from "pino";
import type { AnsweredRequest, EndedStream } from "../../observations/request-observer.ts";

/** Longer paths are cut: no path of the service comes near this length. */
const PATH_MAX_LENGTH = 500;

/** The level of a line per request: `info` if the operator asked for such lines. */
type RequestLevel = "info" | "debug";

/** Writes the line of a request for people: `GET /v1/pets 200 3.5 ms`. */
export function writeRequestForPeople(log: Logger, level: RequestLevel, request: AnsweredRequest): void {
  const { method, path, status, failure, abandoned } = request;
  const milliseconds = (request.microseconds / 1000).toFixed(1);
  const left = abandoned ? "(the client left)" : undefined;
  const parts = [method, shorten(path), status, `${milliseconds} ms`, failure, left];
  log[level](parts.filter((part) => part !== undefined).join(" "));
}

/** Writes the line of a request for programs. */
export function writeRequest(log: Logger, level: RequestLevel, request: AnsweredRequest): void {
  const { requestId, operation, method, status, failure, keyRefusal, keyId, client } = request;
  const fields = {
    requestId,
    operation,
    method,
    path: shorten(request.path),
    status,
    failure,
    keyRefusal,
    abandoned: request.abandoned || undefined,
    microseconds: Math.round(request.microseconds),
    keyId,
    client,
  };
  log[level](fields, "request answered");
}

/** Writes the line of a stream of events that has ended. */
export function writeStreamEnd(log: Logger, level: RequestLevel, stream: EndedStream): void {
  const seconds = Number(stream.seconds.toFixed(3));
  const { end, eventsSent } = stream;
  const message = `stream of events ended after ${seconds} s and ${eventsSent} events: ${end}`;
  log[level]({ ...stream, seconds }, message);
}

function shorten(path: string): string {
  return path.length > PATH_MAX_LENGTH ? `${path.slice(0, PATH_MAX_LENGTH)}…` : path;
}
