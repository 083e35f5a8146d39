/**
 * @param packages each program with the Debian package that brings it
 * @throws Error that names the packages to install, where programs are missing
 */
export function requirePrograms(packages: Readonly<Record<string, string>>): void {
  const PATH = `${process.env.PATH}:/usr/sbin:/sbin`;
  const missing = Object.keys(packages).filter((program) => !Bun.which(program, { PATH }));
  if (missing.length === 0) return;
  const names = [...new Set(missing.map((program) => packages[program]))].join(" ");
  throw new Error(
    `${missing.join(", ")}: not installed; on Debian: apt-get install --no-install-recommends ${names}`,
  );
}
