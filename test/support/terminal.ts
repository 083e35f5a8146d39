import { PROGRAM, type StartOptions } from "./program.ts";

/** The program on a terminal of its own, stopped by its id with `await using`. */
export interface OnTerminal extends AsyncDisposable {
  /** The output so far, with line feeds as line ends. */
  shown(): string;
  /** Resolves when the output contains a text; rejects when the program ends first. */
  shows(text: string): Promise<void>;
  /** What a person types. */
  type(keys: string): void;
  signal(signal: NodeJS.Signals): void;
  /** Closes the terminal, as one closes its window. */
  hangUp(): void;
  readonly exited: Promise<number>;
}

export const CTRL_C = "\x03";

/** Starts the program, or another, as a person does, on a terminal with colours. */
export function startOnTerminal(
  args: readonly string[],
  { cwd, env = {} }: StartOptions,
  command: string = PROGRAM,
): OnTerminal {
  const { PATH = "", HOME = "" } = process.env;
  const decoder = new TextDecoder();
  let shown = "";
  let changed = Promise.withResolvers<void>();
  const child = Bun.spawn([command, ...args], {
    cwd,
    env: { PATH, HOME, TERM: "xterm-256color", ...env },
    terminal: {
      cols: 80,
      rows: 40,
      data(_, bytes) {
        shown += decoder.decode(bytes, { stream: true }).replaceAll("\r\n", "\n");
        changed.resolve();
        changed = Promise.withResolvers();
      },
    },
  });
  return {
    shown: () => shown,
    async shows(text) {
      while (!shown.includes(text)) {
        await Promise.race([changed.promise, child.exited]);
        if ((child.exitCode ?? child.signalCode) !== null && !shown.includes(text))
          throw new Error(`it ended, having shown: ${shown}`);
      }
    },
    type: (keys) => child.terminal?.write(keys),
    signal: (signal) => child.kill(signal),
    hangUp: () => child.terminal?.close(),
    exited: child.exited,
    async [Symbol.asyncDispose]() {
      child.kill("SIGKILL");
      await child.exited;
      child.terminal?.close();
    },
  };
}
