import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { temporaryFolder } from "../../test/support/folder.ts";
import { runCommand } from "../../test/support/run-command.ts";
import { dependencies, refusedLicences } from "./dependencies.ts";
import { maintainerProblems, repositoryProblems } from "./repository.ts";
import { sbom } from "./sbom.ts";
import { makeRelease } from "./source.ts";
import { versionProblems } from "./version.ts";

const ROOT = join(import.meta.dir, "../..");

interface Result {
  readonly verdict: "ok" | "failed" | "not checked";
  readonly detail?: string;
}

interface Check {
  /** What must hold. */
  readonly name: string;
  run(): Promise<Result>;
}

const judged = (problems: readonly string[]): Result =>
  problems.length === 0 ? { verdict: "ok" } : { verdict: "failed", detail: problems.join("; ") };

/** A check that a command makes: it fails as the command does. */
function command(name: string, ...line: readonly string[]): Check {
  return {
    name,
    async run() {
      try {
        await runCommand(line, { cwd: ROOT });
        return { verdict: "ok" };
      } catch (error) {
        return { verdict: "failed", detail: (error as Error).message.trim().split("\n").slice(-5).join(" ") };
      }
    },
  };
}

export const CHECKS: readonly Check[] = [
  {
    name: "everything is committed",
    async run() {
      const { stdout } = await runCommand(["git", "status", "--porcelain"], { cwd: ROOT });
      return judged(stdout.split("\n").filter(Boolean));
    },
  },
  {
    name: "the version is new, the same everywhere, and in the changelog",
    run: async () => judged(versionProblems(ROOT)),
  },
  { name: "repository", run: async () => judged(repositoryProblems(ROOT)) },
  { name: "maintainer", run: async () => judged(maintainerProblems(ROOT)) },
  command("the stable operations are as they were released", "npm", "test", "--", "test/releases"),
  command(
    "oasdiff finds no change that breaks a released client",
    "npm",
    "test",
    "-s",
    "--",
    "compatibility",
  ),
  { name: "the licences of all dependencies allow their use", run: async () => judged(refusedLicences()) },
  {
    name: "the list of what it contains (CycloneDX) is complete",
    async run() {
      const { components } = JSON.parse(await sbom("0")) as {
        components: { name: string; version: string; hashes?: unknown; licenses?: unknown; group?: string }[];
      };
      const listed = new Set(
        components
          .filter((each) => each.licenses && each.hashes)
          .map(({ name, version }) => `${name}@${version}`),
      );
      return judged(
        dependencies()
          .filter(({ isForDevelopment }) => !isForDevelopment)
          .map(({ name, version }) => `${name}@${version}`)
          .filter((name) => !listed.has(name)),
      );
    },
  },
  { name: "no dependency has a known vulnerability", run: audit },
  { name: "two builds give the same bytes", run: buildTwice },
];

async function audit(): Promise<Result> {
  const audit = Bun.spawnSync(["npm", "audit", "--omit=dev", "--json"], { cwd: ROOT });
  try {
    const { metadata } = JSON.parse(audit.stdout.toString());
    const { total } = metadata.vulnerabilities;
    return judged(total === 0 ? [] : [`npm audit --omit=dev lists ${total}`]);
  } catch {
    // Without a list of vulnerabilities there is an error, in one form or another.
    return { verdict: "not checked", detail: "the registry answers no audit" };
  }
}

async function buildTwice(): Promise<Result> {
  using one = temporaryFolder();
  using other = temporaryFolder();
  for (const { path } of [one, other]) await makeRelease(path, ["here"]);
  const sums = [one, other].map(({ path }) => readFileSync(join(path, "SHA256SUMS"), "utf8").split("\n"));
  const files = readdirSync(one.path).length;
  const differing = sums[0]?.filter((line) => !sums[1]?.includes(line)) ?? [];
  return differing.length === 0 ? { verdict: "ok", detail: `${files} files` } : judged(differing);
}
