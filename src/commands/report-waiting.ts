import type { Event } from "../domain/event.ts";
import { explain } from "./print.ts";

/** Tells a person, as a command goes on, whom its work waits for. */
export function reportWaiting(event: Event): void {
  if (event.event === "waiting_for_locks")
    void explain(`Waiting: ${event.work} waits for ${event.description}.`);
}
