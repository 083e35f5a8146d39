import { join } from "node:path";

/** Daemons lie where a user's PATH does not look. */
const PATH = `${process.env.PATH}:/usr/sbin:/sbin`;

/**
 * Returns the path of a program that a suite needs.
 *
 * @param debianPackage the package that has it, where its name differs
 * @throws Error that names the package
 */
export function requiredProgram(name: string, debianPackage = name): string {
  requirePrograms({ [name]: debianPackage });
  return Bun.which(name, { PATH }) as string;
}

/**
 * @param packages each program with the Debian package that brings it
 * @throws Error that names the packages to install, where programs are missing
 */
export function requirePrograms(packages: Readonly<Record<string, string>>): void {
  const missing = Object.keys(packages).filter((program) => !Bun.which(program, { PATH }));
  if (missing.length === 0) return;
  const names = [...new Set(missing.map((program) => packages[program]))].join(" ");
  throw new Error(
    `${missing.join(", ")}: not installed; on Debian: apt-get install --no-install-recommends ${names}`,
  );
}

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
