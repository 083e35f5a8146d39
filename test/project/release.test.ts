import { expect, test } from "bun:test";
import { existsSync, mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { refusedLicences } from "../../scripts/release/dependencies.ts";
import { maintainerProblems, repositoryProblems } from "../../scripts/release/repository.ts";
import { versionProblems } from "../../scripts/release/version.ts";
import { Child } from "../../verify/child.ts";
import { temporaryFolder } from "../support/folder.ts";

const ROOT = join(import.meta.dir, "../..");

test("the licence of every dependency allows its use", () => {
  expect(refusedLicences()).toEqual([]);
});

test("the client and the lock file have the version of package.json", () => {
  expect(versionProblems(ROOT).filter((problem) => problem.includes("and package.json"))).toEqual([]);
});

/** A repository of this version whose last release was 0.2.0. */
function problemsOf(version: string, changelog: string, client = version): string[] {
  using folder = temporaryFolder();
  const write = (file: string, content: unknown) =>
    writeFileSync(join(folder.path, file), typeof content === "string" ? content : JSON.stringify(content));
  for (const name of ["client", "test/releases/0.2.0", "test/releases/before-0.2.0"])
    mkdirSync(join(folder.path, name), { recursive: true });
  write("package.json", { version });
  write("client/package.json", { version: client });
  write("package-lock.json", { packages: { "": { version }, client: { version: client } } });
  write("CHANGELOG.md", changelog);
  return versionProblems(folder.path);
}

const CHANGELOG =
  "# Changelog\n\n## Unreleased\n\n## 0.3.0 (2026-12-01)\n\n- Orders.\n\n## 0.2.0 (2026-11-01)\n";

test("a new version that is the same everywhere and in the changelog can be released", () => {
  expect(problemsOf("0.3.0", CHANGELOG)).toEqual([]);
  expect(problemsOf("0.3.0", CHANGELOG.replace("## Unreleased\n\n", ""))).toEqual([]);
});

test.each([
  [
    "a version that was released",
    () => problemsOf("0.2.0", CHANGELOG),
    "0.2.0 is not later than 0.2.0, which was released",
  ],
  [
    "a client of another version",
    () => problemsOf("0.3.0", CHANGELOG, "0.2.0"),
    "client/package.json has 0.2.0, and package.json 0.3.0",
  ],
  [
    "a version without notes",
    () => problemsOf("0.4.0", CHANGELOG),
    'CHANGELOG.md has no dated section "## 0.4.0"',
  ],
  [
    "changes that no version has",
    () => problemsOf("0.3.0", CHANGELOG.replace("## Unreleased\n", "## Unreleased\n\n- More.\n")),
    "CHANGELOG.md has unreleased changes",
  ],
])("%s cannot be released", (_, problems, expected) => {
  expect(problems()).toContain(expected);
});

/** What is wrong with the `repository` of the program's package and of the client's. */
function repositoryProblemsOf(root?: object, client?: object): string[] {
  using folder = temporaryFolder();
  mkdirSync(join(folder.path, "client"));
  for (const [file, repository] of Object.entries({ "package.json": root, "client/package.json": client }))
    writeFileSync(join(folder.path, file), JSON.stringify({ repository }));
  return repositoryProblems(folder.path);
}

const REPOSITORY = { type: "git", url: "git+https://git.example/us/animal-store.git" };

test("packages that both name their repository can be published", () => {
  expect(repositoryProblemsOf(REPOSITORY, { ...REPOSITORY, directory: "client" })).toEqual([]);
});

test("packages that name no repository cannot be published, and one line says what to fill in", () => {
  expect(repositoryProblemsOf()).toEqual([
    expect.stringMatching(/^fill in before publishing: .* package\.json/),
  ]);
});

test("a client that names another repository, or no folder of it, cannot be published", () => {
  expect(repositoryProblemsOf(REPOSITORY, { url: "git+https://git.example/us/client.git" })).toEqual([
    "client/package.json has the url git+https://git.example/us/client.git, and package.json git+https://git.example/us/animal-store.git",
    'client/package.json has the directory undefined, and would be right with "client"',
  ]);
  expect(repositoryProblemsOf(REPOSITORY)).toHaveLength(2);
});

/** What is wrong with the author of the program's package, whom the Debian package names as its maintainer. */
function maintainerProblemsOf(author?: string): string[] {
  using folder = temporaryFolder();
  writeFileSync(join(folder.path, "package.json"), JSON.stringify({ author }));
  return maintainerProblems(folder.path);
}

test("a maintainer without an address cannot publish, and one line says what to fill in", () => {
  expect(maintainerProblemsOf("Us <us@animals.org>")).toEqual([]);
  for (const author of [undefined, "Us", "Us <us@example.com>"])
    expect(maintainerProblemsOf(author)).toEqual([
      expect.stringMatching(/^fill in before publishing: an address .* author in package\.json/),
    ]);
});

test.each([
  ["--help", 0, ""],
  ["windows", 2, "windows"],
])(
  "npm run release -- %s says what it takes, and makes and removes nothing",
  async (argument, status, named) => {
    const dist = join(ROOT, "dist");
    const before = existsSync(dist) && readdirSync(dist);
    await using release = new Child(["npm", "run", "--silent", "release", "--", argument], {
      cwd: ROOT,
      env: process.env,
    });
    const { exitCode, stdout, stderr } = await release.ended();
    expect(exitCode).toBe(status);
    expect(stdout).toStartWith("npm run release [-- ");
    expect(stdout).toContain("linux-x64");
    expect(stderr).toContain(named);
    expect(stderr).not.toContain("    at ");
    expect(existsSync(dist) && readdirSync(dist)).toEqual(before);
  },
);
