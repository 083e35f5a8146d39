import type { Side } from "../side.ts";
import { animalStore } from "./animal-store.ts";
import { onPostgres } from "./animal-store-postgres.ts";

export const STORES = ["sqlite", "postgres"] as const;

interface VersionOptions {
  readonly store: (typeof STORES)[number];
  readonly workers: number;
}

/** The name of the other checkout's side. */
export const BEFORE = "before";

/** This checkout and another one, alike in everything but their program. */
export function versions(before: string, { store, workers }: VersionOptions): [now: Side, before: Side] {
  const make = store === "sqlite" ? animalStore : onPostgres;
  const settings = { WORKERS: `${workers}` };
  return [make({ name: "now", settings }), make({ name: BEFORE, root: before, settings })];
}
