import { treeOf } from "./accounting.ts";

/** A child process, which `await using` ends, and the end of this program at the latest. */
export interface Child extends AsyncDisposable {
  readonly pid: number;
  readonly exited: Promise<number>;
  /** Its standard output; resolves when it has ended. */
  output(): Promise<string>;
  /** Its CPU time in microseconds; known when it has ended. */
  cpuMicroseconds(): number;
  /** Resolves to the first match in its standard output; rejects when it ends without one or takes too long. */
  said(pattern: RegExp): Promise<string>;
}

interface SpawnOptions {
  readonly cwd?: string;
  readonly env?: Readonly<Record<string, string>>;
}

const SAID_WITHIN_MS = 30_000;

const running = new Set<Bun.Subprocess>();
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

/** Starts a program with a minimal environment, so that defaults hold. */
export function spawn(
  command: readonly string[],
  { cwd = process.cwd(), env = {} }: SpawnOptions = {},
): Child {
  const { PATH = "", HOME = "", TMPDIR } = process.env;
  const child = Bun.spawn([...command], {
    cwd,
    env: { PATH, HOME, ...(TMPDIR && { TMPDIR }), ...env },
    stdin: "ignore",
    stdout: "pipe",
    stderr: "inherit",
  });
  running.add(child);
  let text = "";
  let notify = () => {};
  const finished = (async () => {
    const decoder = new TextDecoder();
    for await (const chunk of child.stdout) {
      text += decoder.decode(chunk, { stream: true });
      notify();
    }
  })();
  return {
    pid: child.pid,
    exited: child.exited,
    async output() {
      await finished;
      return text;
    },
    cpuMicroseconds: () => Number(child.resourceUsage()?.cpuTime.total ?? 0),
    async said(pattern) {
      const found = Promise.withResolvers<string>();
      const fail = (how: string) => found.reject(new Error(`${command.join(" ")} ${how}; it said: ${text}`));
      const timer = setTimeout(() => fail("took too long to start"), SAID_WITHIN_MS);
      notify = () => {
        const match = pattern.exec(text)?.[0];
        if (match !== undefined) found.resolve(match);
      };
      notify();
      finished.then(() => fail("ended early"));
      return found.promise.finally(() => clearTimeout(timer));
    },
    async [Symbol.asyncDispose]() {
      end(child.pid);
      await Promise.all([child.exited, finished]);
      running.delete(child);
    },
  };
}
