import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

/** What keeps the version of `package.json`, the one place that has it, from being released. */
export function versionProblems(root: string): string[] {
  const read = (file: string) => JSON.parse(readFileSync(join(root, file), "utf8"));
  const { version } = read("package.json") as { version: string };
  const { packages } = read("package-lock.json");
  const copies: Readonly<Record<string, string>> = {
    "client/package.json": read("client/package.json").version,
    "package-lock.json": packages[""].version,
    "package-lock.json, for the client": packages.client.version,
  };
  const released = readdirSync(join(root, "test/releases")).filter((name) => /^\d+\.\d+\.\d+$/.test(name));
  const changelog = readFileSync(join(root, "CHANGELOG.md"), "utf8");
  return [
    ...Object.entries(copies)
      .filter(([, copy]) => copy !== version)
      .map(([file, copy]) => `${file} has ${copy}, and package.json ${version}`),
    ...released
      .filter((each) => Bun.semver.order(each, version) >= 0)
      .map((each) => `${version} is not later than ${each}, which was released`),
    ...(new RegExp(`^## ${RegExp.escape(version)}\\b.*\\d{4}-\\d\\d-\\d\\d`, "m").test(changelog)
      ? []
      : [`CHANGELOG.md has no dated section "## ${version}"`]),
    ...(/^## Unreleased\n+(?!## )\S/m.test(changelog) ? ["CHANGELOG.md has unreleased changes"] : []),
  ];
}
