/**
 * Those of some Debian packages that this machine lacks. Elsewhere than on Debian nobody can tell by the name: a suite then
 * fails at what it misses.
 */
export function missingPackages(packages: readonly string[]): string[] {
  const query = Bun.which("dpkg-query", { PATH: process.env.PATH ?? "" });
  if (query === null || packages.length === 0) return [];
  const { stdout } = Bun.spawnSync([query, "-W", "-f", `\${Package} \${db:Status-Status}\n`, ...packages]);
  const installed = new Set(stdout.toString().split("\n"));
  return packages.filter((name) => !installed.has(`${name} installed`));
}
