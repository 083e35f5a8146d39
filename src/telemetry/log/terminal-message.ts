import type { Event } from "../../domain/event.ts";
import { VERSION } from "../../version.ts";

/** What a person at a terminal is told plainly, in place of a log line. */
export function greetingOf(event: Event): string | undefined {
  switch (event.event) {
    case "listening":
      return `
  Animal Store ${VERSION} (${event.environment}) is running. Ctrl+C stops it.

  Address  ${event.address}
  Docs     ${event.address}/docs
${event.workers === undefined ? "" : `  Workers  ${event.workers}\n`}`;
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
      return "\n  Stopping, when what has begun is finished. Ctrl+C again stops it at once.";
    case "stop_cut_short":
      return `  Stopped after ${event.seconds} s, with something unfinished. What was acknowledged is on the disk.`;
    case "stopped":
      return "  Stopped.";
    default:
      return undefined;
  }
}
