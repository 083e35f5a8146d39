import { whenInterrupted } from "../../process/on-signal.ts";

/** Of what a command writes, in characters: enough to find a warning in. */
const OUTPUT_KEPT = 1_000_000;

/** How a command ended. */
interface Ended {
  /** `null` if it took too long and was stopped. */
  readonly exitCode: number | null;
  /** What it wrote, or its beginning. */
  readonly output: string;
}

/**
 * Runs a command, shows on standard error what it writes, and stops it with all its processes after some time.
 *
 * @throws the system's error if it cannot be started
 */
export async function runCommand(
  command: readonly string[],
  env: Readonly<Record<string, string>>,
  limitMs: number,
): Promise<Ended> {
  // A group of its own, so that what the command has started ends with it.
  const child = Bun.spawn([...command], {
    env,
    detached: true,
    stdin: "ignore",
    stdout: "pipe",
    stderr: "pipe",
  });
  let isLate = false;
  let output = "";
  const show = async (stream: ReadableStream<Uint8Array>) => {
    const decoder = new TextDecoder();
    for await (const chunk of stream) {
      process.stderr.write(chunk);
      if (output.length < OUTPUT_KEPT) output += decoder.decode(chunk, { stream: true });
    }
  };
  using _ = whenInterrupted(() => stopGroup(child.pid));
  const timer = setTimeout(() => {
    isLate = true;
    stopGroup(child.pid);
  }, limitMs);
  try {
    const shown = Promise.all([show(child.stdout), show(child.stderr)]);
    const exitCode = await child.exited;
    // What it left running in the background would keep its output open.
    stopGroup(child.pid);
    await shown;
    return { exitCode: isLate ? null : exitCode, output };
  } finally {
    clearTimeout(timer);
    stopGroup(child.pid);
  }
}

function stopGroup(pid: number): void {
  try {
    process.kill(-pid, "SIGKILL");
  } catch {
    // All of them have ended.
  }
}
