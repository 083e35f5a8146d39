import { describe, expect, test } from "bun:test";
import type { Experiment } from "../../bench/experiments/experiment.ts";
import { type Options, readOptions } from "../../bench/options.ts";
import { HERE } from "../../bench/program.ts";

const EXPERIMENTS = ["list", "create"].map(
  (name): Experiment => ({ name, about: name, run: () => Promise.reject(new Error("not to be run")) }),
);

function read(...args: string[]): Options {
  return readOptions(args, EXPERIMENTS) as Options;
}

test("without arguments everything runs, on loopback, with all peers", () => {
  const { experiments, rounds, delay, versions, peers, build, write } = read();
  expect(experiments).toEqual(EXPERIMENTS);
  expect({ rounds, delay, versions, peers, build, write }).toEqual({
    rounds: 5,
    delay: 0,
    versions: undefined,
    peers: true,
    build: true,
    write: false,
  });
});

test("beside another checkout no other server takes part, so nothing is built", () => {
  const { versions, peers, build, rounds } = read("--against", HERE, "--rounds", "20", "--only", "create");
  expect({ peers, build, rounds }).toEqual({ peers: false, build: false, rounds: 20 });
  expect(versions?.map(({ name }) => name)).toEqual(["now", "before"]);
});

test("two versions take turns in slices, except where an experiment needs whole seconds", () => {
  const sliced: readonly Experiment[] = EXPERIMENTS.map((each) => ({ ...each, inSlices: true }));
  const lengthOf = (experiments: readonly Experiment[], ...args: string[]) => {
    const { seconds, rounds } = readOptions(["--against", HERE, ...args], experiments) as Options;
    return { seconds, rounds };
  };
  expect(lengthOf(sliced)).toEqual({ seconds: 0.1, rounds: 150 });
  expect(lengthOf(sliced, "--seconds", "0.25", "--rounds", "9")).toEqual({ seconds: 0.25, rounds: 9 });
  expect(lengthOf(EXPERIMENTS)).toEqual({ seconds: 2, rounds: 5 });
  expect(() => lengthOf(EXPERIMENTS, "--seconds", "0.5")).toThrow("it must be 1 or more for list");
});

test("a run that only shows that everything works builds nothing", () => {
  expect(read("--once")).toMatchObject({ build: false, peers: true, rounds: 1 });
});

describe("a wrong command line says what would be right", () => {
  const wrong: readonly (readonly [args: string[], message: string])[] = [
    [["--only", "luck"], 'there is no experiment "luck"'],
    [["--rounds", "0"], "--rounds"],
    [["--seconds", "0.01"], "or a fraction from 0.05 to 1"],
    [["--delay", "1ms"], "--delay"],
    [["--against", "/nowhere"], "must be a checkout of this program"],
    [["--write", "--delay", "1"], "--write goes without"],
    [["--write", "--against", HERE], "--write goes without"],
    [["--workers", "2"], "go with --against"],
    [["--against", HERE, "--store", "mysql"], "must be one of sqlite, postgres, standbys"],
    [["--fast"], "--fast"],
  ];
  for (const [args, message] of wrong) {
    test(args.filter((arg) => arg !== HERE).join(" "), () => expect(() => read(...args)).toThrow(message));
  }
});
