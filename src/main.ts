import { CommanderError } from "commander";
import { exemptThisMachine } from "./config/no-proxy.ts";
import { ConfigErrors } from "./config/read.ts";
import { maskApiKeys } from "./domain/api-key.ts";
import { StoreFailure } from "./domain/failure.ts";
import { Stalled } from "./domain/transfer.ts";
import { CommandFailure, FAILURE_CODES, reportsInJson } from "./process/errors.ts";
import { printFailure, ReaderGone, writeToStderr } from "./process/standard-output.ts";
import { usageError } from "./process/usage-error.ts";
import { runProgram } from "./program.ts";
import { UnusableStore } from "./stores/errors.ts";
import { hidePassword } from "./stores/url.ts";

/** The exit code that shells report after SIGPIPE: the output is incomplete, and nobody reads it any more. */
const EXIT_READER_GONE = 141;

/** Runs the program and returns its exit code: 0, 1 for a failure, 2 for wrong use. */
async function run(args: string[]): Promise<number> {
  try {
    await runProgram(args);
    return 0;
  } catch (error) {
    if (error instanceof CommanderError && error.exitCode === 0) return 0;
    if (error instanceof ReaderGone) return EXIT_READER_GONE;
    const { code, message, exitCode } = describe(error);
    if (reportsInJson(args)) printFailure(code, message);
    // Its library has shown the message of a wrong option.
    if (!(error instanceof CommanderError)) await complain(code, message, error);
    if (error instanceof Stalled) process.exit(exitCode);
    return exitCode;
  }
}

/** How a failure is reported. Its code is for programs: it never changes meaning. */
function describe(error: unknown): {
  readonly code: string;
  readonly message: string;
  readonly exitCode: number;
} {
  if (error instanceof CommanderError)
    return { code: "wrong_use", message: usageError(error.message).replace(/^error: /, ""), exitCode: 2 };
  if (error instanceof ConfigErrors) return { code: "wrong_setting", message: error.message, exitCode: 2 };
  if (error instanceof CommandFailure) {
    const { message, exitCode } = error;
    return { code: FAILURE_CODES[exitCode], message, exitCode };
  }
  if (error instanceof Stalled) return { code: "stalled", message: error.message, exitCode: 1 };
  if (error instanceof UnusableStore) return { code: "unusable_store", message: error.message, exitCode: 1 };
  if (error instanceof StoreFailure) return { code: error.code, message: error.message, exitCode: 1 };
  return { code: INTERNAL, message: "an unexpected error; standard error has its cause", exitCode: 1 };
}

const INTERNAL = "internal_error";

async function complain(code: string, message: string, error: unknown): Promise<void> {
  const text =
    code === INTERNAL ? hidePassword(Bun.inspect(error)) : message.replace(/^/gm, "animal-store: ");
  await writeToStderr(maskApiKeys(text));
}

exemptThisMachine();
process.exitCode = await run(process.argv.slice(2));
