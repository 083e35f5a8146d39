/** The Debian packages that this machine lacks. Where there is no dpkg, none: a suite then fails at what it misses. */
export function missingPackages(packages: readonly string[]): string[] {
  const query = Bun.which("dpkg-query", { PATH: process.env.PATH ?? "" });
  if (query === null || packages.length === 0) return [];
  const { stdout } = Bun.spawnSync([query, "-W", "-f", `\${Package} \${db:Status-Status}\n`, ...packages]);
  const installed = new Set(stdout.toString().split("\n"));
  return packages.filter((name) => !installed.has(`${name} installed`));
}
