import { readFileSync } from "node:fs";
import { join } from "node:path";

/** The program as its users start it. */
export const PROGRAM = join(import.meta.dir, "../../bin/animal-store");

/** What a finished run of the program did. */
export interface Run {
  readonly exitCode: number;
  readonly stdout: string;
  readonly stderr: string;
}

export interface StartOptions {
  /** The current folder of the program. */
  readonly cwd: string;
  /** Beside PATH and HOME, which every program has. */
  readonly env?: Record<string, string>;
  /** What is put before the program on the command line: a tracer, say. */
  readonly before?: readonly string[];
}

/** Runs the program to its end. */
export async function run(args: readonly string[], options: StartOptions): Promise<Run> {
  await using child = spawn(args, options);
  const [stdout, stderr, exitCode] = await Promise.all([
    new Response(child.process.stdout).text(),
    new Response(child.process.stderr).text(),
    child.process.exited,
  ]);
  return { exitCode, stdout, stderr };
}

/** A service as a process of its own, stopped by its id with `await using`. */
export interface ServiceProcess extends AsyncDisposable {
  readonly pid: number;
  readonly address: string;
  /** The store's first key. */
  readonly key: string;
  /** What it has written to standard output so far: JSON lines. */
  output(): string;
  kill(signal: NodeJS.Signals): void;
  readonly exited: Promise<number>;
}

/** Starts `serve` on a free port and waits until it says that it listens. */
export async function serve(options: StartOptions, args: readonly string[] = []): Promise<ServiceProcess> {
  const keyFile = join(options.cwd, "first-key");
  const child = spawn(["serve", "--port", "0", "--first-key", keyFile, ...args], options);
  let output = "";
  const listening = Promise.withResolvers<string>();
  const reading = (async () => {
    const decoder = new TextDecoder();
    for await (const chunk of child.process.stdout) {
      output += decoder.decode(chunk, { stream: true });
      const address = /"address":"([^"]+)"/.exec(output)?.[1];
      if (address !== undefined) listening.resolve(address);
    }
    const said = output + (await new Response(child.process.stderr).text());
    listening.reject(new Error(`the service ended before it listened: ${said}`));
  })();
  const address = await listening.promise;
  return {
    pid: child.process.pid,
    address,
    key: readFileSync(keyFile, "utf8").trim(),
    output: () => output,
    kill: (signal) => child.process.kill(signal),
    exited: child.process.exited,
    async [Symbol.asyncDispose]() {
      await child[Symbol.asyncDispose]();
      await reading;
    },
  };
}

function spawn(args: readonly string[], { cwd, env = {}, before = [] }: StartOptions) {
  const { PATH = "", HOME = "" } = process.env;
  const child = Bun.spawn([...before, PROGRAM, ...args], {
    cwd,
    env: { PATH, HOME, ...env },
    stdin: "ignore",
    stdout: "pipe",
    stderr: "pipe",
  });
  return {
    process: child,
    async [Symbol.asyncDispose]() {
      child.kill("SIGKILL");
      await child.exited;
    },
  };
}
