import pino from "pino";
import { maskApiKeys } from "../../domain/api-key.ts";
import type { Observation, ObservationSink } from "../../observations/observation.ts";
import type { RequestObserver } from "../../observations/request-observer.ts";
import { serializeError } from "./error.ts";
import { writeEvent, writeRepeated } from "./event-lines.ts";
import { type LogOutput, standardOutput, terminal } from "./output.ts";
import { RepeatedFailures } from "./repeated-failures.ts";
import { writeRequest, writeRequestForPeople, writeStreamEnd } from "./request-lines.ts";
import { terminalMessage } from "./terminal-message.ts";

interface LogOptions {
  readonly LOG_LEVEL: string;
  /** `auto` is pretty on a terminal. */
  readonly LOG_FORMAT: "auto" | "json" | "pretty";
  /** `auto`: only in a pretty log. */
  readonly LOG_REQUESTS: "auto" | boolean;
  readonly ENVIRONMENT: string;
  /** More than 1, or `auto`: several processes write to the same output. */
  readonly WORKERS: number | "auto";
  /** The number of this worker, if there are several. */
  readonly worker?: number | undefined;
  /** The trace that a line belongs to, if any. */
  readonly traceId?: (() => string | undefined) | undefined;
}

/** Writes events, and requests if each gets a line. */
interface Log {
  readonly emit: ObservationSink;
  readonly requests: RequestObserver | undefined;
  /** How many lines were dropped so far because their reader was too slow. */
  dropped(): number;
  /** Writes what is left, for a bounded time; resolves to whether it succeeded. */
  close(): Promise<boolean>;
}

/** The first key is shown once; the keys of a sandbox are public. */
const SHOWS_KEYS: ReadonlySet<Observation["event"]> = new Set(["first_key_issued", "sandbox_listening"]);

/** Creates the log on standard output: pretty for people, or JSON lines. */
export function createLog(options: LogOptions): Log {
  const { LOG_LEVEL, LOG_FORMAT, LOG_REQUESTS, ENVIRONMENT, WORKERS, worker, traceId } = options;
  const isPretty = LOG_FORMAT === "auto" ? process.stdout.isTTY : LOG_FORMAT === "pretty";
  const output = isPretty ? terminal() : standardOutput(WORKERS !== 1);
  const logger = (level: string, write: LogOutput["write"]) =>
    pino(
      {
        level,
        base: { environment: ENVIRONMENT, worker },
        timestamp: pino.stdTimeFunctions.isoTime,
        formatters: { level: (level) => ({ level }) },
        serializers: { err: serializeError },
        ...(traceId && { mixin: () => ({ traceId: traceId() }) }),
      },
      { write },
    );
  const log = logger(LOG_LEVEL, (line) => output.write(maskApiKeys(line)));
  // The only lines that may contain an API key. They appear at every level, since the key is needed.
  const keyLog = logger("info", (line) => output.write(line));
  const failures = new RepeatedFailures({
    first: (event) => writeEvent(log, event),
    more: (event, count) => writeRepeated(log, event, count),
  });
  const level = (LOG_REQUESTS === "auto" ? isPretty : LOG_REQUESTS) ? "info" : "debug";
  const write = isPretty ? writeRequestForPeople : writeRequest;
  return {
    requests: log.isLevelEnabled(level)
      ? {
          answered: (request) => write(log, level, request),
          streamEnded: (stream) => writeStreamEnd(log, level, stream),
        }
      : undefined,
    emit: (event) => {
      const message = isPretty ? terminalMessage(event) : undefined;
      if (message !== undefined) console.log(message);
      else if (event.event === "request_failed" || event.event === "store_failed") failures.add(event);
      else writeEvent(SHOWS_KEYS.has(event.event) ? keyLog : log, event);
    },
    dropped: () => output.dropped(),
    close: () => {
      failures.close();
      return output.close();
    },
  };
}
