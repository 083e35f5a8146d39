import { isSame, type JournalRequest } from "./journal.ts";
import type { Run } from "./rule.ts";

/**
 * The requests of the undisturbed run that ask for what this one asks for. A command may ask twice by itself, in two tests
 * or in parallel: only what it asks more often than that can be a repetition. Ids differ between the runs, so where none
 * asks for the very same, numbers are left out of the comparison; of several that remain, the most frequent counts.
 */
export function usualOf(request: JournalRequest, runs: readonly Run[]): readonly JournalRequest[] {
  const undisturbed = runs.find(({ name }) => name === "undisturbed")?.requests ?? [];
  const same = undisturbed.filter((each) => isSame(each, request));
  if (same.length > 0) return same;
  const alike = undisturbed.filter((each) => shapeOf(each) === shapeOf(request));
  const groups = alike.map((each) => alike.filter((other) => isSame(each, other)));
  return groups.reduce((most, group) => (group.length > most.length ? group : most), []);
}

/** How often a command asks for this by itself: at least once, since it did. */
export function usualCountOf(request: JournalRequest, runs: readonly Run[]): number {
  return Math.max(1, usualOf(request, runs).length);
}

function shapeOf({ method, target, body }: JournalRequest): string {
  return `${method} ${target} ${body ?? ""}`.replaceAll(/-?\d+(?:\.\d+)?(?:e\+?\d+)?/gi, "0");
}
