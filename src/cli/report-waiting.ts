import type { EventSink } from "../domain/event.ts";
import type { Output } from "./output.ts";

/** Tells a person, as a command goes on, whom its work waits for. */
export function reportWaiting(output: Output): EventSink {
  return (event) => {
    if (event.event !== "waiting_for_locks") return;
    const work = event.work.replace(/^./, (first) => first.toUpperCase());
    void output.explain(`${work} waits for ${event.description}.`);
  };
}
