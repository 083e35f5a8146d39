import { join } from "node:path";

const INSTALLED = "/usr/lib/postgresql";

/**
 * The folder of the programs of the newest PostgreSQL that Debian has installed.
 *
 * @throws Error where there is none
 */
export function distributionPrograms(): string {
  const programs = [...new Bun.Glob(`${INSTALLED}/*/bin/postgres`).scanSync()];
  const newest = programs.toSorted(new Intl.Collator("en", { numeric: true }).compare).at(-1);
  if (newest !== undefined) return join(newest, "..");
  throw new Error(`there is no PostgreSQL in ${INSTALLED}; on Debian: apt-get install postgresql`);
}
