import { Child } from "../verify/child.ts";
import { treeOf } from "./accounting.ts";

const running = new Set<Child>();
process.once("exit", () => {
  for (const { pid } of running) end(pid);
});
// Without a listener, a signal ends this program without an `exit` event.
for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => process.exit(1));

/** Kills a process and all its descendants: orphans would go on, and hold its output open. */
function end(pid: number): void {
  for (const each of treeOf(pid)) {
    try {
      process.kill(each, "SIGKILL");
    } catch {
      // It has already ended.
    }
  }
}

/** A program with all its descendants, which `await using` ends, and the end of this program at the latest. */
class Tree extends Child {
  override async [Symbol.asyncDispose](): Promise<void> {
    end(this.pid);
    await this.ended();
    running.delete(this);
  }
}

/** Starts a program with a minimal environment, so that defaults hold; its standard error is shown. */
export function spawn(
  command: readonly string[],
  {
    cwd = process.cwd(),
    env = {},
  }: { readonly cwd?: string; readonly env?: Readonly<Record<string, string>> } = {},
): Child {
  const { PATH, HOME, TMPDIR } = process.env;
  const child = new Tree(command, { cwd, env: { PATH, HOME, TMPDIR, ...env }, stderr: "inherit" });
  running.add(child);
  return child;
}

const PRINTED_WITHIN_MS = 30_000;

/** The address that a server prints on standard output. */
export async function addressPrintedBy(child: Child): Promise<string> {
  // The pattern needs a character after the port, since output may come in pieces.
  const [address = ""] = await child.says(/http:\/\/127\.0\.0\.1:\d+(?=\D)/, PRINTED_WITHIN_MS);
  return address;
}
