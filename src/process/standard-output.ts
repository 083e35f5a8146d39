import { fstatSync, statSync, write, writeFileSync } from "node:fs";
import { maskApiKeys } from "../domain/api-key.ts";
import { showable } from "../domain/quote.ts";
import { CommandFailure } from "./errors.ts";

/** The reader of standard output has closed it: the command ends silently. */
export class ReaderGone extends Error {}

/** Whether this run has written its answer: with `--json` it writes one object at most. */
let hasAnswered = false;

/**
 * Writes a command's answer to standard output. A terminal shows control characters instead of obeying them.
 *
 * @throws ReaderGone, or CommandFailure if it cannot be written for another reason
 */
export async function writeAnswer(text: string): Promise<void> {
  hasAnswered = true;
  await writeToStdout(Buffer.from(process.stdout.isTTY ? showable(text) : text)).catch(throwUnwritable);
}

/**
 * Writes why a command with `--json` failed, unless it has written its answer. It is synchronous, since the program may end
 * right after it.
 */
export function printFailure(code: string, message: string): void {
  if (hasAnswered) return;
  hasAnswered = true;
  try {
    writeFileSync(1, toJson({ error: { code, message: maskApiKeys(message) } }));
  } catch {
    // The message is on standard error too.
  }
}

/**
 * Writes help to standard output synchronously, for a library that cannot wait.
 *
 * @throws as `writeAnswer` does
 */
export function printNow(text: string): void {
  try {
    writeFileSync(1, text);
  } catch (error) {
    throwUnwritable(error);
  }
}

/** Whether what is written goes nowhere: to /dev/null, which the runtime also opens in place of a closed output. */
export function isOutputDiscarded(): boolean {
  const output = fstatSync(1);
  return output.isCharacterDevice() && output.rdev === statSync("/dev/null").rdev;
}

function throwUnwritable(error: unknown): never {
  const { code, message } = error as NodeJS.ErrnoException;
  if (code === "EPIPE") throw new ReaderGone("the reader of standard output is gone", { cause: error });
  throw new CommandFailure(`standard output cannot be written: ${message}`, 1, { cause: error });
}

/** How long to wait when a pipe is full, if its creator made it non-blocking. */
const FULL_PIPE_MS = 10;

/** Writes asynchronously: `Bun.write` to a full pipe blocks the event loop, and with it signals and deadlines. */
async function writeToStdout(bytes: Uint8Array): Promise<void> {
  for (let rest = bytes; rest.length > 0; ) {
    const written = await writeSome(rest);
    rest = rest.subarray(written);
    if (written === 0) await Bun.sleep(FULL_PIPE_MS);
  }
}

/** Returns how many bytes the output took; 0 if a pipe is full. */
function writeSome(bytes: Uint8Array): Promise<number> {
  return new Promise((resolve, reject) => {
    write(1, bytes, 0, bytes.length, null, (error, written) => {
      if (!error) resolve(written);
      else if (error.code === "EAGAIN") resolve(0);
      else reject(error);
    });
  });
}

/** Writes an error message, which nothing silences. `console.error` would color it red. */
export async function writeToStderr(text: string): Promise<void> {
  // If standard error is closed, there is nowhere to report that.
  await Bun.write(Bun.stderr, `${showable(text)}\n`).catch(() => {});
}

/** One line of JSON that a terminal shows as it is. Int64 values are numbers, exact to the last digit. */
export function toJson(facts: unknown): string {
  const text = JSON.stringify(facts, (_, value) =>
    typeof value === "bigint" ? JSON.rawJSON(`${value}`) : value,
  );
  return `${showable(text)}\n`;
}
