import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Examples, type InitialState, makeState } from "../../../sandbox/initial-state.ts";
import { parseSeed, parseWholeNumber } from "../../cli/counts.ts";
import { CommandFailure, wrongValue } from "../../process/errors.ts";
import { ownCommand } from "../../process/own-command.ts";
import { stateOf } from "../../stores/sqlite/memory-store.ts";

/** Every space has a copy of the animals in memory. */
const ANIMALS_MAX = 1_000_000;

/**
 * The state that the flags of a sandbox ask for.
 *
 * @throws CommandFailure if they make no sense together, or the fixtures cannot be imported
 */
export async function initialStateOf(flags: Readonly<Record<string, unknown>>): Promise<InitialState> {
  const { empty, animals = flags.count, seed, fixtures, delay, fault } = flags;
  const chosen = Object.entries({ "--empty": empty, "--animals": animals, "--fixtures": fixtures })
    .filter(([, value]) => value !== undefined)
    .map(([flag]) => flag);
  if (chosen.length > 1) throw new CommandFailure(`${chosen.join(" and ")} cannot be used together.`, 2);
  if (seed !== undefined && [animals, delay, fault].every((each) => each === undefined))
    throw new CommandFailure("--seed is for --animals, --delay and --fault, which are all missing.", 2);
  if (empty === true) return fixed(await makeState(undefined));
  if (animals !== undefined) {
    const count = parseWholeNumber("--animals", String(animals), 1, ANIMALS_MAX);
    const invented = ["seed", "--count", `${count}`, "--seed", `${parseSeed(String(seed ?? 1))}`];
    return fixed(await filledBy(invented, "--animals"));
  }
  if (fixtures === undefined) return new Examples();
  if (fixtures === "-" || fixtures === "")
    throw wrongValue("--fixtures", String(fixtures), "name a file: CSV, NDJSON or JSON");
  return fixed(await filledBy(["import", String(fixtures)], "--fixtures"));
}

function fixed(state: Uint8Array): InitialState {
  return { get: async () => state };
}

/** The state that another command of this program leaves in an empty store. It tells people itself what is wrong. */
async function filledBy(command: readonly string[], flag: string): Promise<Uint8Array> {
  const folder = mkdtempSync(join(tmpdir(), "animal-store-sandbox-"));
  try {
    const file = join(folder, "fixtures.db");
    const child = Bun.spawn(ownCommand(...command, "--database", `sqlite:${file}`, "--quiet"), {
      stdin: "ignore",
      stdout: "ignore",
      stderr: "inherit",
    });
    if ((await child.exited) !== 0) {
      throw new CommandFailure(`${flag}: the animals could not be taken over, so the sandbox did not start.`);
    }
    return await makeState(stateOf(file));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
