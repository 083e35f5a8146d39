import type { Logger } from "pino";
import type { Event } from "../../domain/event.ts";
import type { AnsweredRequest, EndedStream } from "../../domain/observation.ts";
import { VERSION } from "../../version.ts";
import type { FailedRequest } from "./repeated-failures.ts";

/** Longer paths are cut: no path of the service comes near this length. */
const PATH_MAX_LENGTH = 500;

/** Writes the log line of an event. */
export function writeEvent(log: Logger, event: Event): void {
  switch (event.event) {
    case "listening": {
      const docs = `${event.address}/docs`;
      const { address, workers } = event;
      log.info({ address, docs, version: VERSION, workers }, `listening on ${address}`);
      break;
    }
    case "sandbox_listening": {
      const { address, control, keys, example } = event;
      log.info(
        { address, control, keys, version: VERSION },
        `listening on ${address}, as a sandbox; try it: ${example}`,
      );
      break;
    }
    case "fault_injected":
      log.info(
        { fault: event.fault, operation: event.operation },
        `fault ${event.fault} for ${event.operation}`,
      );
      break;
    case "metrics_listening":
      log.info({ metrics: event.address }, `metrics are at ${event.address}`);
      break;
    case "first_key_issued":
      log.info({ key: event.key }, `the first API key, shown only once; try it: ${event.example}`);
      break;
    case "first_key_written":
      log.info({ file: event.file }, `the first API key is in ${event.file}`);
      break;
    case "setting_warning":
      log.warn(event.warning);
      break;
    case "no_usable_key":
      log.warn({ command: event.command }, `${event.reason}; make one with: ${event.command}`);
      break;
    case "request_failed":
      log.error({ requestId: event.requestId, err: event.error }, "request failed unexpectedly");
      break;
    case "store_failed":
      log.warn({ requestId: event.requestId, err: event.error }, "the store could not do its work");
      break;
    case "feed_failed":
      log.warn(
        { err: event.error },
        "the feed of changes cannot be read; open streams get no news until it can",
      );
      break;
    case "unready":
      log.error({ part: event.part, err: event.error }, `not ready: ${event.part} fails`);
      break;
    case "descriptors_exhausted":
      log.error(
        "no file descriptor is left: new connections wait until others end; raise LimitNOFILE (`ulimit -n`)",
      );
      break;
    case "descriptors_available":
      log.info("file descriptors are available again");
      break;
    case "ready_again":
      log.info("ready again");
      break;
    case "waiting_for_locks": {
      const { work, holders, description } = event;
      log.warn({ holders }, `${work} waits for ${description}`);
      break;
    }
    case "database_server_found": {
      const { host, writable } = event;
      log.info({ host }, `now using PostgreSQL at ${host}${writable ? "" : ", which is read-only"}`);
      break;
    }
    case "untested_postgresql": {
      const { majorVersion, newest } = event;
      log.warn(
        `PostgreSQL ${majorVersion} is newer than PostgreSQL ${newest}, the newest version that was tested`,
      );
      break;
    }
    case "schema_changed":
      log.info({ from: event.from, to: event.to }, `the schema is now at version ${event.to}`);
      break;
    case "cleanup_failed":
      log.warn(
        { err: event.error },
        "expired idempotency records could not be deleted; the service will try again",
      );
      break;
    case "traces_undelivered":
      log.warn({ err: event.error }, "the collector accepts no traces; they are dropped");
      break;
    case "backup_made":
      log.info({ file: event.file, milliseconds: event.milliseconds }, `backed up to ${event.file}`);
      break;
    case "backup_failed":
      log.error(
        { err: event.error },
        `the backup failed; the service will try again in ${event.againInSeconds} s`,
      );
      break;
    case "tls_replaced":
      log.info("the certificate was reloaded; new connections use it");
      break;
    case "tls_unusable":
      log.error({ err: event.error }, "the certificate cannot be used; the previous one stays in force");
      break;
    case "worker_ended": {
      const { worker, how, milliseconds } = event;
      const next = milliseconds === 0 ? "at once" : `in ${milliseconds} ms`;
      log.error({ worker, how }, `worker ${worker} ended; another takes its place ${next}`);
      break;
    }
    case "worker_replaced":
      log.info({ worker: event.worker }, `worker ${event.worker} is replaced`);
      break;
    case "stopping":
      log.info(`stopping on ${event.signal}`);
      break;
    case "stop_cut_short":
      log.warn(`the stop was cut short after ${event.seconds} s; every acknowledged create is on the disk`);
      break;
    case "stopped":
      log.info("stopped");
  }
}

/** Writes one line for repeated failures, without the details of the first: the log may be on a full disk. */
export function writeRepeated(log: Logger, { event, requestId, error }: FailedRequest, count: number): void {
  const message = error instanceof Error ? error.message : String(error);
  const fields = { requestId, count, error: message };
  if (event === "store_failed") log.warn(fields, `the store could not do its work, ${count} more times`);
  else log.error(fields, `requests failed unexpectedly, ${count} more times`);
}

/** Writes the line of a request for people: `GET /v1/pets 200 3.5 ms`. */
export function writeRequestForPeople(log: Logger, request: AnsweredRequest, asked: boolean): void {
  const { method, status, failure, abandoned } = request;
  const path = shorten(request.path);
  const milliseconds = (request.microseconds / 1000).toFixed(1);
  const line = [
    method,
    path,
    status,
    `${milliseconds} ms`,
    failure,
    abandoned ? "(the client left)" : undefined,
  ]
    .filter((part) => part !== undefined)
    .join(" ");
  if (asked) log.info(line);
  else log.debug(line);
}

function shorten(path: string): string {
  return path.length > PATH_MAX_LENGTH ? `${path.slice(0, PATH_MAX_LENGTH)}…` : path;
}

/**
 * Writes the line of a request for programs.
 *
 * @param asked whether the operator asked for a line per request; otherwise its level is debug
 */
export function writeRequest(log: Logger, request: AnsweredRequest, asked: boolean): void {
  const { requestId, operation, method, status, failure, keyRefusal, keyId, client } = request;
  const path = shorten(request.path);
  const microseconds = Math.round(request.microseconds);
  const abandoned = request.abandoned || undefined;
  const fields = {
    requestId,
    operation,
    method,
    path,
    status,
    failure,
    keyRefusal,
    abandoned,
    microseconds,
    keyId,
    client,
  };
  if (asked) log.info(fields, "request answered");
  else log.debug(fields, "request answered");
}

/**
 * Writes the line of a stream of events that has ended.
 *
 * @param asked as for `writeRequest`
 */
export function writeStreamEnd(log: Logger, stream: EndedStream, asked: boolean): void {
  const seconds = Number(stream.seconds.toFixed(3));
  const { end, eventsSent } = stream;
  const message = `stream of events ended after ${seconds} s and ${eventsSent} events: ${end}`;
  log[asked ? "info" : "debug"]({ ...stream, seconds }, message);
}
