import pretty from "pino-pretty";
import { SonicBoom } from "sonic-boom";

/** Where lines of the log go. */
export interface LogOutput {
  write(line: string): void;
  /** How many lines were dropped so far, because nobody took them. */
  dropped(): number;
  /** Resolves when all is written that can be; tells whether it is. */
  close(): Promise<boolean>;
}

/** What waits to be written while standard output takes nothing, a full disk say; more is dropped. */
const BACKLOG_MAX_BYTES = 1024 * 1024;
/** How long a stop waits for whoever reads the log. */
const CLOSE_MAX_MS = 500;

/**
 * Lines for machines. They are written beside the event loop: a reader that hangs must not make the service
 * wait, and one that is gone must not end it.
 */
export function standardOutput(): LogOutput {
  const output = new SonicBoom({ fd: 1, sync: false, maxLength: BACKLOG_MAX_BYTES });
  let broken = false;
  let dropped = 0;
  output.on("drop", () => {
    dropped++;
  });
  output.on("error", () => {
    broken = true;
  });
  return {
    write: (line) => output.write(line),
    dropped: () => dropped,
    async close() {
      if (broken) return true;
      const { promise, resolve } = Promise.withResolvers<boolean>();
      const timer = setTimeout(() => resolve(false), CLOSE_MAX_MS);
      output.once("close", () => resolve(true));
      output.once("error", () => resolve(true));
      output.end();
      const written = await promise;
      clearTimeout(timer);
      return written;
    },
  };
}

/** Lines for people, who read them as they come. */
export function terminal(): LogOutput {
  const output = pretty({ ignore: "environment", sync: true });
  return { write: (line) => output.write(line), dropped: () => 0, close: async () => true };
}
