import { existsSync } from "node:fs";
import { resolve } from "node:path";
import { parseArgs } from "node:util";
import type { Experiment } from "./experiments/experiment.ts";
import { programOf } from "./program.ts";
import type { Side } from "./side.ts";
import { STORES, versions } from "./sides/versions.ts";

export interface Options {
  readonly seconds: number;
  readonly rounds: number;
  readonly experiments: readonly Experiment[];
  readonly peers: boolean;
  /** Whether to compile the peers that come as source. */
  readonly build: boolean;
  /** Two versions of this program, which then replace all other servers. */
  readonly versions: readonly [now: Side, before: Side] | undefined;
  /** Milliseconds. */
  readonly delay: number;
  readonly json: string | undefined;
  readonly write: boolean;
}

/** A mistake in the command line. */
export class WrongUse extends Error {}

interface Length {
  readonly seconds: number;
  readonly rounds: number;
}

const FULL: Length = { seconds: 2, rounds: 5 };
const QUICK: Length = { seconds: 1, rounds: 2 };
const ONCE: Length = { seconds: 1, rounds: 1 };
/** Two versions in turns: in a minute and a half for each experiment, the interval of a ratio is 7 to 11 % wide. */
const SLICES: Length = { seconds: 0.1, rounds: 150 };
const SECONDS_MIN = 0.05;

export function help(experiments: readonly Experiment[]): string {
  const width = Math.max(...experiments.map(({ name }) => name.length));
  const list = experiments.map(({ name, about }) => `  ${name.padEnd(width)}  ${about}`);
  return `Compares Animal Store with the same service in Rust and Go, and with what you might use instead; see bench/README.md.

  --quick          ${QUICK.rounds} rounds of ${QUICK.seconds} s, in place of ${FULL.rounds} of ${FULL.seconds} s
  --once           everything once, without warming up, to see that it works; the figures mean little
  --seconds N      how long each side is measured in each round; ${SECONDS_MIN} or more for throughput
  --rounds N       how often each side is measured
  --only NAMES     some of the experiments, with commas between
  --against DIR    measures another checkout of this program against this one, and nothing else, in
                   ${SLICES.rounds} rounds of ${SLICES.seconds} s where the experiment can be cut so fine
  --store NAME     with --against: sqlite, postgres, or standbys: a PostgreSQL with two standbys that answer
                   reads, from Debian's package (sqlite)
  --workers N      with --against: WORKERS of both (1)
  --delay MS       puts a proxy before each side, behind which a request and its response take so much longer
  --without-peers  leaves out what comes from bench/package.json, and installs nothing
  --json FILE      writes the result there as JSON
  --write          puts the result into docs/performance.json and into the pages that show it
  --help           this

Experiments:
${list.join("\n")}`;
}

export function readOptions(args: string[], experiments: readonly Experiment[]): Options | "help" {
  const values = parse(args);
  if (values.help) return "help";
  const { only, against, delay, write } = values;
  if (write && (against !== undefined || delay !== undefined)) {
    throw new WrongUse("--write goes without --against and --delay: the page has no place for these.");
  }
  const root = against === undefined ? undefined : resolve(against);
  if (root !== undefined && !existsSync(programOf(root))) {
    throw new WrongUse(`--against is ${JSON.stringify(against)}; it must be a checkout of this program.`);
  }
  if (root === undefined && (values.store !== undefined || values.workers !== undefined)) {
    throw new WrongUse("--store and --workers go with --against.");
  }
  const store = STORES.find((name) => name === (values.store ?? "sqlite"));
  if (!store) {
    throw new WrongUse(`--store is ${JSON.stringify(values.store)}; it must be one of ${STORES.join(", ")}.`);
  }
  const workers = values.workers === undefined ? 1 : wholeNumber("--workers", values.workers);
  const chosen = only === undefined ? experiments : only.split(",").map((name) => named(name, experiments));
  const whole = chosen.find(({ inSlices }) => !inSlices);
  const usual = root === undefined || whole ? FULL : SLICES;
  const length = values.once ? ONCE : values.quick ? QUICK : usual;
  const seconds = values.seconds === undefined ? length.seconds : secondsOf(values.seconds);
  if (seconds < 1 && whole) {
    throw new WrongUse(`--seconds is ${seconds}; it must be 1 or more for ${whole.name}.`);
  }
  return {
    seconds,
    rounds: values.rounds === undefined ? length.rounds : wholeNumber("--rounds", values.rounds),
    experiments: chosen,
    peers: !values["without-peers"] && root === undefined,
    build: !values.once && root === undefined,
    versions: root === undefined ? undefined : versions(root, { store, workers }),
    delay: delay === undefined ? 0 : wholeNumber("--delay", delay),
    json: values.json,
    write,
  };
}

function parse(args: string[]) {
  try {
    return parseArgs({
      args,
      options: {
        quick: { type: "boolean", default: false },
        once: { type: "boolean", default: false },
        seconds: { type: "string" },
        rounds: { type: "string" },
        only: { type: "string" },
        against: { type: "string" },
        store: { type: "string" },
        workers: { type: "string" },
        delay: { type: "string" },
        "without-peers": { type: "boolean", default: false },
        json: { type: "string" },
        write: { type: "boolean", default: false },
        help: { type: "boolean", default: false },
      },
    }).values;
  } catch (error) {
    throw new WrongUse((error as Error).message);
  }
}

function wholeNumber(name: string, text: string, or = ""): number {
  if (/^[1-9][0-9]{0,3}$/.test(text)) return Number(text);
  throw new WrongUse(`${name} is ${JSON.stringify(text)}; it must be a whole number from 1 to 9999${or}.`);
}

function secondsOf(text: string): number {
  const seconds = Number(text);
  if (/^0\.[0-9]{1,3}$/.test(text) && seconds >= SECONDS_MIN) return seconds;
  return wholeNumber("--seconds", text, `, or a fraction from ${SECONDS_MIN} to 1`);
}

function named(name: string, experiments: readonly Experiment[]): Experiment {
  const experiment = experiments.find((experiment) => experiment.name === name);
  if (experiment) return experiment;
  throw new WrongUse(`there is no experiment ${JSON.stringify(name)}; --help lists them all.`);
}
