import { CommandFailure } from "./errors.ts";

/** What is said of a file that cannot be written; any other error is as it was. */
export function cannotWrite(file: string, error: unknown): unknown {
  const { code, message } = error as NodeJS.ErrnoException;
  return code?.startsWith("E") && !code.startsWith("ERR_")
    ? new CommandFailure(`cannot write ${file}: ${message}.`, 1, { cause: error })
    : error;
}
