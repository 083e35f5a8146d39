/** 1 for what failed, 2 for wrong use, 3 for a proof that was inconclusive, 130 for what Ctrl+C has ended. */
type ExitCode = 1 | 2 | 3 | 130;

/** What ends the program with a message and no stack. */
export class CommandFailure extends Error {
  readonly exitCode: ExitCode;

  constructor(message: string, exitCode: ExitCode = 1, options?: ErrorOptions) {
    super(message, options);
    this.name = "CommandFailure";
    this.exitCode = exitCode;
  }
}
