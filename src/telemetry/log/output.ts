import { SonicBoom } from "sonic-boom";
import { within } from "../../system/within.ts";
import { PIPE_BUF, wholeRecord } from "./whole-record.ts";

/** The destination of log lines. */
export interface LogOutput {
  /** Writes a line, which is dropped if it comes after `close`: a request that a stop cut off may still end. */
  write(line: string): void;
  /** How many lines were dropped so far because their reader was too slow. */
  dropped(): number;
  /** Writes what is left, for a bounded time; resolves to whether it succeeded. */
  close(): Promise<boolean>;
}

/** The most that waits while standard output takes nothing, for example on a full disk; further lines are dropped. */
const BACKLOG_MAX_BYTES = 1024 * 1024;
/** How long a stop waits for the reader of the log. */
const CLOSE_MAX_MS = 500;

/**
 * Lines for programs, written on a thread of their own: a reader that hangs must not block the service, and a reader
 * that is gone must not end it.
 *
 * @param isShared whether other processes write to the same output: then a pipe takes each write whole
 */
export function standardOutput(isShared: boolean): LogOutput {
  const maxWrite = isShared ? { maxWrite: PIPE_BUF } : {};
  const output = new SonicBoom({ fd: 1, sync: false, maxLength: BACKLOG_MAX_BYTES, ...maxWrite });
  let broken = false;
  let closed = false;
  let dropped = 0;
  output.on("drop", () => {
    dropped++;
  });
  output.on("error", () => {
    broken = true;
  });
  return {
    write: (line) => {
      // The library throws once it has closed, and an error that nobody catches ends a stop with exit code 1.
      if (!closed) output.write(isShared ? wholeRecord(line) : line);
    },
    dropped: () => dropped,
    async close() {
      closed = true;
      if (broken) return true;
      const { promise, resolve } = Promise.withResolvers<true>();
      output.once("close", () => resolve(true));
      output.once("error", () => resolve(true));
      output.end();
      return within(CLOSE_MAX_MS, promise, () => false);
    },
  };
}

/** Lines for people, written at once. */
export function terminal(): LogOutput {
  // Loaded here, since services that log for programs need none of it.
  const pretty: typeof import("pino-pretty") = require("pino-pretty");
  const output = pretty({ ignore: "environment", sync: true });
  return { write: (line) => output.write(line), dropped: () => 0, close: async () => true };
}
