import { expect } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { sendCurlLine } from "../../test/support/curl-line.ts";
import { requirePrograms } from "../../test/support/installed-programs.ts";
import { commandLineOf, signalAll, treeOf } from "../../test/support/processes.ts";
import { shareOf } from "../share.ts";
import { type Machine, runHere, type User } from "./machine.ts";

requirePrograms({ git: "git", mmdebstrap: "mmdebstrap", python3: "python3-venv" });

/** Where the quick tests run too, apart from `npm test` as root. */
export const QUICK_ON = shareOf(["as another user", "musl and BusyBox"], "places of the quick tests");

const README = readFileSync(join(import.meta.dir, "../../README.md"), "utf8");
const [START = ""] = /^npm ci && npm start$/m.exec(README) ?? [];
export const [, TEST = ""] = /`(npm ci && npm test)`/.exec(README) ?? [];

/** A clone on a machine. */
export interface Place {
  readonly machine: Machine;
  readonly user: User;
  readonly folder: string;
  readonly env?: Record<string, string>;
}

/** Runs a line to its end, and prints how long it took, how many tests passed and the slowest files; expects that it succeeds and leaves nothing behind. */
export async function passes({ machine, user, folder, env }: Place, line: string): Promise<void> {
  const begun = performance.now();
  await using running = machine.start(user, folder, line, env);
  const { exitCode, stdout } = await running.child.ended();
  const seconds = Math.round((performance.now() - begun) / 1000);
  const lines = stdout.split("\n");
  if (exitCode !== 0) console.log(failuresIn(stdout));
  const told = lines.filter((text) => /^ *\d+ (?:pass|skip|fail)$|^Ran |^ *[\d.]+ s {2}/.test(text));
  console.log(`${line}: ${seconds} s\n${told.join("\n")}`);
  expect({ exitCode, leftovers: running.leftovers() }).toEqual({ exitCode: 0, leftovers: [] });
  expect(stdout).toMatch(/^Ran \d+ tests across \d+ files/m);
}

/** Each failed test and each error outside of tests, with the lines before it; everything, where there is none. */
function failuresIn(output: string): string {
  const blocks = output.split(/^(?=\(pass\))/m).filter((block) => /^\(fail\)|^error:|Unhandled/m.test(block));
  return blocks.length > 0 ? blocks.join("\n") : output.slice(-20_000);
}

/** Expects that README's first line starts the service, that its printed line works, and that nothing outlives npm. */
export async function starts({ machine, user, folder, env }: Place): Promise<void> {
  const begun = performance.now();
  // Any free port will do here.
  await using running = machine.start(user, folder, START, { PORT: "0", ...env });
  const [line = ""] = await running.child.says(/curl -H 'Authorization: Bearer [^']+' '[^']+'/);
  const response = await sendCurlLine(line);
  expect([response.status, await response.text()]).toEqual([200, "[]"]);
  const seconds = Math.round((performance.now() - begun) / 1000);
  signalAll([npmOf(running.child.pid)], "SIGTERM");
  await running.child.exited;
  expect(running.leftovers()).toEqual([]);
  // While it runs, the runtime renames files of its cache.
  const { stdout: size } = await runHere("du", "-sm", join(machine.root, folder));
  console.log(`${START}: ${seconds} s to the first response, ${Number.parseInt(size, 10)} MB`);
}

/** As a supervisor does it: npm alone gets the signal. */
export function npmOf(pid: number): number {
  return treeOf(pid).find((each) => /^npm (?:start|test)/.test(commandLineOf(each))) as number;
}
