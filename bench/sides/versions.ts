import type { Side } from "../side.ts";
import { animalStore } from "./animal-store.ts";
import { onPostgres, onStandbys } from "./animal-store-postgres.ts";

const MAKERS = { sqlite: animalStore, postgres: onPostgres, standbys: onStandbys } as const;

export const STORES = Object.keys(MAKERS) as readonly (keyof typeof MAKERS)[];

interface VersionOptions {
  readonly store: (typeof STORES)[number];
  readonly workers: number;
}

/** The name of the other checkout's side. */
export const BEFORE = "before";

/** This checkout and another one, alike in everything but their program. */
export function versions(before: string, { store, workers }: VersionOptions): [now: Side, before: Side] {
  const make = MAKERS[store];
  const settings = { WORKERS: `${workers}` };
  return [make({ name: "now", settings }), make({ name: BEFORE, root: before, settings })];
}
