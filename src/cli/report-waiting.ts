import type { ObservationSink } from "../observations/observation.ts";
import type { Output } from "./output.ts";

/** Reports on standard error what a command waits for. */
export function reportWaiting(output: Output): ObservationSink {
  return (event) => {
    if (event.event !== "waiting_for_locks") return;
    const work = event.work.replace(/^./, (first) => first.toUpperCase());
    void output.explain(`${work} waits for ${event.description}.`);
  };
}
