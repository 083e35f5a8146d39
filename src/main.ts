import { CommanderError } from "commander";
import { CommandFailure } from "./cli/errors.ts";
import { ReaderGone, writeToStderr } from "./cli/output.ts";
import { ConfigErrors } from "./config/read.ts";
import { StoreFailure } from "./domain/failure.ts";
import { Stalled } from "./domain/transfer.ts";
import { createProgram } from "./program.ts";
import { UnusableStore } from "./stores/errors.ts";

/** The exit code that shells report after SIGPIPE: the output is incomplete, and nobody reads it any more. */
const EXIT_READER_GONE = 141;

/** Runs the program and returns its exit code: 0, 1 for a failure, 2 for wrong use. */
async function run(args: string[]): Promise<number> {
  try {
    await createProgram(args).parseAsync(args, { from: "user" });
    return 0;
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : 2;
    if (error instanceof ReaderGone) return EXIT_READER_GONE;
    if (error instanceof ConfigErrors) return complain(error.message, 2);
    if (error instanceof CommandFailure) return complain(error.message, error.exitCode);
    if (error instanceof Stalled) process.exit(await complain(error.message, 1));
    if (error instanceof UnusableStore || error instanceof StoreFailure) return complain(error.message, 1);
    console.error(error);
    return 1;
  }
}

async function complain(message: string, exitCode: number): Promise<number> {
  await writeToStderr(message.replace(/^/gm, "animal-store: "));
  return exitCode;
}

process.exitCode = await run(process.argv.slice(2));
