import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { Run } from "../../verify/child.ts";
import { Caller } from "./caller.ts";
import { temporaryFolder } from "./folder.ts";
import { run, type ServiceProcess, serve } from "./program.ts";

/** Processes that serve one store, gone with `await using`. */
export interface Servers extends AsyncDisposable {
  /** A client of one instance, with the first key or another. */
  caller(at: number, key?: string): Caller;
  /** A client of each. */
  callers(key?: string): Caller[];
  /** Runs another command of the program on the same database. */
  command(...args: string[]): Promise<Run>;
}

/** Services on one database. */
export interface Instances extends Servers {
  readonly processes: readonly ServiceProcess[];
  /** The first keys that the instances wrote: one, if all is right. */
  readonly keys: readonly string[];
}

/** Starts several instances at once, with the same settings or each with its own. */
export async function startInstances(
  url: string,
  count: number,
  env: Record<string, string> | ((at: number) => Record<string, string>) = {},
): Promise<Instances> {
  const folders = Array.from({ length: count }, temporaryFolder);
  const settingsOf = (at: number) => ({ ...(typeof env === "function" ? env(at) : env), DATABASE_URL: url });
  const started = await Promise.allSettled(
    folders.map(({ path }, at) => serve({ cwd: path, env: settingsOf(at) })),
  );
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
  const caller: Servers["caller"] = (at, key = keys[0] as string) =>
    new Caller({ address: (processes[at] as ServiceProcess).address, key });
  return {
    processes,
    keys,
    caller,
    callers: (key) => processes.map((_, at) => caller(at, key)),
    command: (...args) => run(args, { cwd: folders[0]?.path as string, env: settingsOf(0) }),
    [Symbol.asyncDispose]: stop,
  };
}

/** Starts one service with two workers, for this many clients: chance decides which worker answers. */
export async function startWorkers(clients: number, env: Record<string, string> = {}): Promise<Servers> {
  const folder = temporaryFolder();
  const settings = { ...env, WORKERS: "2" };
  const service = await serve({ cwd: folder.path, env: settings }).catch((error) => {
    folder[Symbol.dispose]();
    throw error;
  });
  const caller: Servers["caller"] = (_, key = service.key) =>
    new Caller({ address: service.address, key }, false);
  return {
    caller,
    callers: (key) => Array.from({ length: clients }, (_, at) => caller(at, key)),
    command: (...args) => run(args, { cwd: folder.path, env: settings }),
    async [Symbol.asyncDispose]() {
      await service[Symbol.asyncDispose]();
      folder[Symbol.dispose]();
    },
  };
}
