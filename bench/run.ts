import { mkdtempSync, rmSync, statfsSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { missingTool } from "./load.ts";
import { type Length, measure, type ScenarioResult } from "./measure.ts";
import { render, summarise } from "./report.ts";
import { SCENARIOS, type Scenario } from "./scenarios.ts";

const HELP = `Compares Animal Store with servers that do less; see bench/README.md.

  --seconds N    how long each side is measured in each round (2)
  --rounds N     how often each side is measured (9); 1 runs without warming up, to see that all works
  --only NAMES   of ${SCENARIOS.map(({ name }) => name).join(", ")}, with commas between (all)
  --json         the result as JSON
  --help         this`;

/** Linux's number for file systems in memory (`TMPFS_MAGIC`). */
const IN_MEMORY = 0x01021994;

interface Options extends Length {
  readonly scenarios: readonly Scenario[];
  readonly json: boolean;
}

/** What is wrong with the command line. */
class WrongUse extends Error {}

function readOptions(args: string[]): Options | "help" {
  const { values } = parse(args);
  if (values.help) return "help";
  return {
    seconds: wholeNumber("--seconds", values.seconds),
    rounds: wholeNumber("--rounds", values.rounds),
    scenarios: values.only === undefined ? SCENARIOS : values.only.split(",").map(scenarioNamed),
    json: values.json,
  };
}

function parse(args: string[]) {
  try {
    return parseArgs({
      args,
      options: {
        seconds: { type: "string", default: "2" },
        rounds: { type: "string", default: "9" },
        only: { type: "string" },
        json: { type: "boolean", default: false },
        help: { type: "boolean", default: false },
      },
    });
  } catch (error) {
    throw new WrongUse((error as Error).message);
  }
}

function wholeNumber(name: string, text: string): number {
  if (/^[1-9][0-9]{0,3}$/.test(text)) return Number(text);
  throw new WrongUse(`${name} is ${JSON.stringify(text)}; it must be a whole number from 1 to 9999.`);
}

function scenarioNamed(name: string): Scenario {
  const scenario = SCENARIOS.find((scenario) => scenario.name === name);
  if (scenario) return scenario;
  throw new WrongUse(`there is no scenario ${JSON.stringify(name)}; --help names those that there are.`);
}

async function compare({ scenarios, json, seconds, rounds }: Options): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), "animal-store-bench-"));
  process.once("exit", () => rmSync(folder, { recursive: true, force: true }));
  if (statfsSync(folder).type === IN_MEMORY) {
    console.error(`${folder} is in memory, where a durable write costs nothing; TMPDIR names another place.`);
  }
  const results: ScenarioResult[] = [];
  for (const scenario of scenarios) {
    results.push(await measure(scenario, join(folder, scenario.name), { seconds, rounds }, console.error));
  }
  const summary = summarise(results, { seconds, rounds });
  console.log(json ? JSON.stringify(summary, null, 2) : `\n${render(summary)}`);
}

/** Returns the exit code: 0, 1 for what failed, 2 for wrong use. */
async function run(args: string[]): Promise<number> {
  try {
    const options = readOptions(args);
    if (options === "help") {
      console.log(HELP);
      return 0;
    }
    const missing = missingTool();
    if (missing === undefined) await compare(options);
    else console.error(missing);
    return missing === undefined ? 0 : 1;
  } catch (error) {
    console.error(`bench: ${(error as Error).message}`);
    return error instanceof WrongUse ? 2 : 1;
  }
}

process.exitCode = await run(process.argv.slice(2));
