import type { JournalRequest } from "../../../judge/journal.ts";
import type { Run } from "../../../judge/rule.ts";
import { CONTROL_PATH } from "../../../sandbox/control.ts";
import { SANDBOX_KEYS } from "../../../sandbox/keys.ts";
import { Sandbox, sandboxConfig } from "../../../sandbox/sandbox.ts";
import { environmentWithout, readConfig } from "../../config/read.ts";
import { BASE_PATH } from "../../http/request/routes.ts";
import { CommandFailure } from "../../process/errors.ts";
import { startTelemetry } from "../../service/telemetry.ts";
import { PlacedExamples } from "./placed-examples.ts";
import { runCommand } from "./run-command.ts";

/** The most requests that a sandbox shows at once. */
const PAGE = 1000;

/**
 * Runs a command against a new sandbox, and returns what it did there.
 *
 * @param faults as the control interface takes them
 */
export async function observe(
  name: Run["name"],
  command: readonly string[],
  faults: readonly object[],
  limitMs: number,
): Promise<Run> {
  const { config } = readConfig({ PORT: "0", LOG_LEVEL: "silent" }, {}, "");
  const telemetry = await startTelemetry(sandboxConfig(config));
  const initial = new PlacedExamples();
  const sandbox = await Sandbox.start({
    config: sandboxConfig(config),
    telemetry,
    initial,
    names: [],
    withoutDeprecation: name === "without deprecation",
  });
  try {
    const control = sandbox.address + CONTROL_PATH;
    await ask(`${control}/faults`, {
      method: "PUT",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ faults }),
    });
    const env = {
      ...environmentWithout([]),
      ANIMAL_STORE_URL: sandbox.address + BASE_PATH,
      API_KEY: SANDBOX_KEYS[0].key,
    };
    const ended = await runCommand(command, env, limitMs);
    return { name, ...ended, placed: `${initial.placed}`, requests: await journalOf(control) };
  } finally {
    await sandbox.stop(0);
    await telemetry.close();
  }
}

async function journalOf(control: string): Promise<JournalRequest[]> {
  const requests: JournalRequest[] = [];
  for (;;) {
    const after = requests.at(-1)?.id ?? 0;
    const page = (await ask(`${control}/requests?limit=${PAGE}&after=${after}`)) as {
      readonly requests: readonly JournalRequest[];
    };
    requests.push(...page.requests);
    if (page.requests.length < PAGE) return requests;
  }
}

async function ask(url: string, init?: RequestInit): Promise<unknown> {
  const response = await fetch(url, init);
  if (!response.ok) {
    const { message } = (await response.json()) as { readonly message: string };
    throw new CommandFailure(`The sandbox cannot judge a client here: ${message}`);
  }
  return response.json();
}
