import type { Observation } from "../../observations/observation.ts";
import { VERSION } from "../../system/version.ts";

/** The plain text that a terminal shows in place of an event's log line. */
export function terminalMessage(event: Observation): string | undefined {
  switch (event.event) {
    case "listening":
      return `
  Animal Store ${VERSION} (${event.environment}) is running. Ctrl+C stops it.

  Address  ${event.address}
  Docs     ${event.address}/docs
${event.workers === undefined ? "" : `  Workers  ${event.workers}\n`}`;
    case "sandbox_listening":
      return `
  Animal Store ${VERSION} is running as a sandbox with public keys: no place for real data. Ctrl+C stops it.

  Address  ${event.address}
  Docs     ${event.address}/docs
  Control  ${event.control}

  Keys
${event.keys.map(({ name, key }) => `  ${key}  ${name}`).join("\n")}

  Try it:

  ${event.example}
`;
    case "metrics_listening":
      return `  Metrics  ${event.address}\n`;
    case "first_key_issued":
      return `  API key  ${event.key}
           It is shown only now. Keep it like a password.

  Try it:

  ${event.example}
`;
    case "no_usable_key":
      return `  No key   ${event.reason}. Make one with:

  ${event.command}
`;
    case "stopping":
      return "\n  Finishing the requests in progress, then stopping. Ctrl+C again stops at once.";
    case "stop_cut_short":
      return `  Stopped after ${event.seconds} s, with work unfinished. Every acknowledged create is on the disk.`;
    case "stopped":
      return "  Stopped.";
    default:
      return undefined;
  }
}
