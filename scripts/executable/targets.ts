/** A platform for which there is an executable. */
export interface Target {
  /** As in the names of the files of a release. */
  readonly name: string;
  /** The npm package that has its runtime; `package-lock.json` has its version and hash. */
  readonly runtime: string;
  /** How the bundler calls it. */
  readonly platform: Bun.Build.CompileTarget;
}

export const TARGETS: readonly Target[] = [
  { name: "linux-x64", runtime: "@oven/bun-linux-x64", platform: "bun-linux-x64" },
  { name: "linux-x64-musl", runtime: "@oven/bun-linux-x64-musl", platform: "bun-linux-x64-musl" },
  { name: "linux-arm64", runtime: "@oven/bun-linux-aarch64", platform: "bun-linux-arm64" },
  { name: "linux-arm64-musl", runtime: "@oven/bun-linux-aarch64-musl", platform: "bun-linux-arm64-musl" },
  { name: "darwin-arm64", runtime: "@oven/bun-darwin-aarch64", platform: "bun-darwin-arm64" },
  { name: "darwin-x64", runtime: "@oven/bun-darwin-x64", platform: "bun-darwin-x64" },
];

/**
 * The targets of these names; `here` is the platform of this runtime, and `all` is every target.
 *
 * @throws Error that names what there is
 */
export function targetsNamed(names: readonly string[]): readonly Target[] {
  return [...new Set(names.flatMap((name) => (name === "all" ? TARGETS : [targetNamed(name)])))];
}

/** What is wrong with the names of targets; `undefined` if nothing is. */
export function problemOfTargets(names: readonly string[]): string | undefined {
  try {
    targetsNamed(names);
    return undefined;
  } catch (error) {
    return (error as Error).message;
  }
}

function targetNamed(name: string): Target {
  const isMeant =
    name === "here"
      ? ({ runtime }: Target) => process.execPath.includes(`/${runtime}/`)
      : (each: Target) => each.name === name;
  const target = TARGETS.find(isMeant);
  if (target) return target;
  const known = TARGETS.map((each) => each.name).join(", ");
  throw new Error(`there is no executable for ${JSON.stringify(name)}; name some of ${known}, here or all`);
}
