import type { Database } from "bun:sqlite";
import { incompleteCopy, UnusableStore } from "../errors.ts";
import { scalar } from "./scalar.ts";

/** @throws UnusableStore if an unfinished copy has partly filled the store */
export function assertComplete(database: Database, file: string): void {
  if (scalar(database, "SELECT 1 FROM incomplete_copy") === undefined) return;
  throw new UnusableStore(incompleteCopy(file));
}
