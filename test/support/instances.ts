import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { Caller } from "./caller.ts";
import { temporaryFolder } from "./folder.ts";
import { type Run, run, type ServiceProcess, serve } from "./program.ts";

/** Processes of the service on one database, gone with `await using`. */
export interface Instances extends AsyncDisposable {
  readonly processes: readonly ServiceProcess[];
  /** The first keys that were given out: one, if all is right. */
  readonly keys: readonly string[];
  /** A client of one instance, with the first key. */
  caller(at: number): Caller;
  /** A client of each. */
  callers(): Caller[];
  /** Runs another command of the program on the same database. */
  command(...args: string[]): Promise<Run>;
}

/** Starts so many at once. */
export async function startInstances(
  url: string,
  count: number,
  env: Record<string, string> = {},
): Promise<Instances> {
  const folders = Array.from({ length: count }, temporaryFolder);
  const settings = { ...env, DATABASE_URL: url };
  const started = await Promise.allSettled(folders.map(({ path }) => serve({ cwd: path, env: settings })));
  const processes = started.flatMap((each) => (each.status === "fulfilled" ? [each.value] : []));
  const stop = async () => {
    await Promise.all(processes.map((each) => each[Symbol.asyncDispose]()));
    for (const folder of folders) folder[Symbol.dispose]();
  };
  const failed = started.find((each) => each.status === "rejected");
  if (failed) {
    await stop();
    throw failed.reason;
  }
  // An instance that is given no first key writes none.
  const keys = folders.flatMap(({ path }) =>
    readdirSync(path)
      .filter((name) => name === "first-key")
      .map((name) => readFileSync(join(path, name), "utf8").trim()),
  );
  const caller = (at: number) =>
    new Caller({ address: (processes[at] as ServiceProcess).address, key: keys[0] as string });
  return {
    processes,
    keys,
    caller,
    callers: () => processes.map((_, at) => caller(at)),
    command: (...args) => run(args, { cwd: folders[0]?.path as string, env: settings }),
    [Symbol.asyncDispose]: stop,
  };
}
