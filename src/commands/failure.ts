/** What ends the program with a message and no stack. */
export class CommandFailure extends Error {
  readonly exitCode: 1 | 2;

  /** @param exitCode 1 for what failed, 2 for wrong use */
  constructor(message: string, exitCode: 1 | 2 = 1, options?: ErrorOptions) {
    super(message, options);
    this.name = "CommandFailure";
    this.exitCode = exitCode;
  }
}
