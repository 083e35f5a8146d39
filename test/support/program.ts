import { readFileSync } from "node:fs";
import { join } from "node:path";
import { Child, type Run } from "../../verify/child.ts";
import { SETPRIV } from "./setpriv.ts";

/** The program as its users start it; `TEST_PROGRAM` names another build of it, which then has to pass the same tests. */
export const PROGRAM = process.env.TEST_PROGRAM ?? join(import.meta.dir, "../../bin/animal-store");

/** A prefix for a command: on Linux, the command gets this signal when the process that started it ends. */
export function tiedBy(signal: "KILL" | "TERM"): readonly string[] {
  return SETPRIV.length > 0 ? [...SETPRIV, "--pdeathsig", signal, "--"] : [];
}

// The runner abandons a test at an error that nobody caught, and then disposes of nothing.
export const TIED = tiedBy("KILL");

/** The number of workers unless a test says otherwise, so that the same suites can test several. */
const { TEST_WORKERS } = process.env;

export interface StartOptions {
  /** The current folder of the program. */
  readonly cwd: string;
  /** In addition to PATH and HOME, which every program has. */
  readonly env?: Record<string, string>;
  /** A prefix for the command, for example a tracer. */
  readonly before?: readonly string[];
  /** In place of `PROGRAM`. */
  readonly program?: string;
}

/** Runs the program to its end. */
export async function run(args: readonly string[], options: StartOptions): Promise<Run> {
  await using child = spawn(args, options);
  return await child.ended();
}

/** A service as a process of its own, stopped by its id with `await using`. */
export interface ServiceProcess extends AsyncDisposable {
  readonly pid: number;
  readonly address: string;
  /** The store's first key, unless a test has it written elsewhere. */
  readonly key: string;
  /** What it has written to standard output so far: JSON lines. */
  output(): string;
  /** Resolves when its output contains a text; rejects when the program ends first. */
  says(text: string): Promise<unknown>;
  /** SIGKILL also ends its workers, at the same time. */
  kill(signal: NodeJS.Signals): void;
  /** The process ids of its workers, where it has several. */
  workers(): number[];
  readonly exited: Promise<number>;
}

/** Starts `serve` on a free port and waits until it says that it listens. */
export function serve(options: StartOptions, args: readonly string[] = []): Promise<ServiceProcess> {
  return startProgram(["serve", "--port", "0", "--first-key", keyFileOf(options), ...args], options);
}

/** The status that a key gets for a list of animals. */
export async function statusOf({ address }: ServiceProcess, key: string): Promise<number> {
  return (await fetch(`${address}/v1/pets`, { headers: { authorization: `Bearer ${key}` } })).status;
}

/** Starts `sandbox` on a free port, with its temporary files in `cwd`, and waits until it says that it listens. */
export function sandbox(options: StartOptions, args: readonly string[] = []): Promise<ServiceProcess> {
  const env = { TMPDIR: options.cwd, ...options.env };
  return startProgram(["sandbox", "--port", "0", ...args], { ...options, env });
}

function keyFileOf({ cwd }: StartOptions): string {
  return join(cwd, "first-key");
}

async function startProgram(args: readonly string[], options: StartOptions): Promise<ServiceProcess> {
  const child = spawn(args, options);
  const address = await child.listens();
  return {
    pid: child.pid,
    address,
    get key() {
      return readFileSync(keyFileOf(options), "utf8").trim();
    },
    output: () => child.output,
    says: (text) => child.says(text),
    kill: (signal) => {
      // When a machine crashes, the workers die with the service.
      if (signal === "SIGKILL") for (const worker of workersOf(child.pid)) killIfThere(worker);
      child.kill(signal);
    },
    workers: () => workersOf(child.pid),
    exited: child.exited,
    [Symbol.asyncDispose]: () => child[Symbol.asyncDispose](),
  };
}

/** The running children of a process. */
export function workersOf(pid: number): number[] {
  try {
    const children = readFileSync(`/proc/${pid}/task/${pid}/children`, "utf8");
    return children.split(" ").filter(Boolean).map(Number);
  } catch {
    return [];
  }
}

function killIfThere(pid: number): void {
  try {
    process.kill(pid, "SIGKILL");
  } catch {
    // It has ended already.
  }
}

function spawn(
  args: readonly string[],
  { cwd, env = {}, before = [], program = PROGRAM }: StartOptions,
): Child {
  const { PATH = "", HOME = "", TMPDIR } = process.env;
  const own = { PATH, HOME, TMPDIR, ...(TEST_WORKERS && { WORKERS: TEST_WORKERS }), ...env };
  return new Child([...TIED, ...before, program, ...args], { cwd, env: own });
}

/** A prefix for a command that binds root to file modes, as it binds other users. */
export const BOUND_BY_MODES: readonly string[] =
  process.getuid?.() === 0 ? [...SETPRIV, "--bounding-set=-dac_override,-dac_read_search", "--"] : [];
