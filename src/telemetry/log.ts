import pino, { type Logger } from "pino";
import pretty from "pino-pretty";
import type { Event, EventSink } from "../domain/event.ts";
import type { AnsweredRequest, RequestObserver } from "../domain/observation.ts";
import { VERSION } from "../version.ts";

export interface LogOptions {
  readonly LOG_LEVEL: string;
  readonly LOG_REQUESTS: boolean;
  readonly ENVIRONMENT: string;
  /** Which of several processes this is, where there are several. */
  readonly worker?: number | undefined;
}

/** Where events are written, and requests where each has a line. */
export interface Log {
  readonly emit: EventSink;
  readonly requests: RequestObserver | undefined;
}

/** Logs events to standard output: readable on a terminal, as JSON lines elsewhere. */
export function createLog({ LOG_LEVEL, LOG_REQUESTS, ENVIRONMENT, worker }: LogOptions): Log {
  const onTerminal = process.stdout.isTTY;
  const logger = pino(
    {
      level: LOG_LEVEL,
      base: { environment: ENVIRONMENT, worker },
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: { level: (level) => ({ level }) },
    },
    onTerminal ? pretty({ ignore: "environment", sync: true }) : standardOutput(),
  );
  const logsRequests = logger.isLevelEnabled(LOG_REQUESTS ? "info" : "debug");
  return {
    requests: logsRequests
      ? { answered: (request) => writeRequest(logger, request, LOG_REQUESTS) }
      : undefined,
    emit: (event) => {
      const greeting = onTerminal ? greetingOf(event) : undefined;
      if (greeting === undefined) write(logger, event);
      else console.log(greeting);
    },
  };
}

/** What waits to be written while standard output takes nothing, a full disk say; more is dropped. */
const BACKLOG_MAX_BYTES = 1024 * 1024;

function standardOutput(): pino.DestinationStream {
  const output = pino.destination({ fd: 1, sync: true, maxLength: BACKLOG_MAX_BYTES });
  // A log that cannot be written must not end the service. What waits is written when it can be.
  output.on("error", () => {});
  return output;
}

/** What a person at a terminal is told plainly, in place of a log line. */
function greetingOf(event: Event): string | undefined {
  switch (event.event) {
    case "listening":
      return `
  Animal Store ${VERSION} (${event.environment}) is running. Ctrl+C stops it.

  Address  ${event.address}
  Docs     ${event.address}/docs
`;
    case "metrics_listening":
      return `  Metrics  ${event.address}\n`;
    case "first_key_issued":
      return `  API key  ${event.key}
           It is shown only now. Keep it like a password.

  Try it:

  ${event.example}
`;
    case "stopping":
      return "\n  Stopping, when what has begun is finished. Ctrl+C again stops it at once.";
    case "stopped":
      return "  Stopped.";
    default:
      return undefined;
  }
}

function write(log: Logger, event: Event): void {
  switch (event.event) {
    case "listening": {
      const docs = `${event.address}/docs`;
      log.info({ address: event.address, docs, version: VERSION }, `listening on ${event.address}`);
      break;
    }
    case "metrics_listening":
      log.info({ metrics: event.address }, `metrics are at ${event.address}`);
      break;
    case "first_key_issued":
      // At every LOG_LEVEL: it is not there to be logged, but to be used, and nobody can get it again.
      log
        .child({}, { level: "info" })
        .info({ key: event.key }, `the first API key, shown only this once; try it: ${event.example}`);
      break;
    case "first_key_written":
      log.info({ file: event.file }, `the first API key is in ${event.file}`);
      break;
    case "request_failed":
      log.error({ requestId: event.requestId, err: event.error }, "request failed unexpectedly");
      break;
    case "store_failed":
      log.warn({ requestId: event.requestId, err: event.error }, "the store could not do its work");
      break;
    case "sweep_failed":
      log.warn({ err: event.error }, "old retries could not be forgotten; it will be tried again");
      break;
    case "tls_replaced":
      log.info("the certificate was read again; new connections get it");
      break;
    case "tls_unusable":
      log.error({ err: event.error }, "the certificate cannot be used; the former stays in force");
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
    case "stopped":
      log.info("stopped");
  }
}

function writeRequest(log: Logger, request: AnsweredRequest, asked: boolean): void {
  const { requestId, operation, method, path, status, failure, keyRefusal, keyId, client } = request;
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
