import { isDiskFull } from "../stores/disk-full.ts";

/**
 * 1: it failed; 2: wrong use; 3: a verification was inconclusive; 4, 5, 6: a relay gave an event up, was told to stop by its
 * target, or lost its place in the feed; 130: interrupted by Ctrl+C.
 */
export type ExitCode = 1 | 2 | 3 | 4 | 5 | 6 | 130;

/** The code of a failure by its exit code, as `--json` reports it. */
export const FAILURE_CODES: Readonly<Record<ExitCode, string>> = {
  1: "failed",
  2: "wrong_use",
  3: "inconclusive",
  4: "undelivered",
  5: "target_gone",
  6: "events_expired",
  130: "interrupted",
};

/** Whether a command line asks for JSON. A command line with another mistake must be answered too, so nothing is parsed. */
export function reportsInJson(args: readonly string[]): boolean {
  const end = args.indexOf("--");
  return (end < 0 ? args : args.slice(0, end)).includes("--json");
}

/** Ends the program with a message and without a stack trace. */
export class CommandFailure extends Error {
  readonly exitCode: ExitCode;

  constructor(message: string, exitCode: ExitCode = 1, options?: ErrorOptions) {
    super(message, options);
    this.name = "CommandFailure";
    this.exitCode = exitCode;
  }
}

/** Wrong use: a flag has a value that it cannot have. @param rule completes "it must …" */
export function wrongValue(flag: string, value: string, rule: string): CommandFailure {
  return new CommandFailure(`${flag} is ${JSON.stringify(value)}; it must ${rule}.`, 2);
}

/** Turns the system's error when it reads a file into a message; any other error is returned as it is. */
export function cannotRead(file: string, error: unknown, exitCode?: ExitCode): unknown {
  return cannot("read", file, error, exitCode);
}

/** Turns the system's error when it writes a file into a message; any other error is returned as it is. */
export function cannotWrite(file: string, error: unknown): unknown {
  return cannot("write", file, error);
}

const ROOM = " Make room on its disk, and try again.";

/** Turns the system's error about a file into a message; any other error is returned as it is. */
export function cannot(
  verb: "read" | "write",
  file: string,
  error: unknown,
  exitCode: ExitCode = 1,
): unknown {
  const { code, message } = error as NodeJS.ErrnoException;
  return code?.startsWith("E") && !code.startsWith("ERR_")
    ? new CommandFailure(`cannot ${verb} ${file}: ${message}.${isDiskFull(error) ? ROOM : ""}`, exitCode, {
        cause: error,
      })
    : error;
}
