import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

const ROOT = join(import.meta.dir, "../..");

/** A package that npm installs, as `package-lock.json` has it. */
interface Dependency {
  readonly name: string;
  readonly version: string;
  readonly license: string | undefined;
  /** Its folder, from the root. */
  readonly path: string;
  /** Whether only contributors install it. */
  readonly isForDevelopment: boolean;
}

interface LockedPackage {
  readonly version?: string;
  readonly license?: string;
  readonly link?: boolean;
  readonly dev?: boolean;
}

export function dependencies(): Dependency[] {
  const lock = JSON.parse(readFileSync(join(ROOT, "package-lock.json"), "utf8"));
  return Object.entries<LockedPackage>(lock.packages)
    .filter(([path, { link }]) => path.includes("node_modules/") && !link)
    .map(([path, { version = "", license, dev = false }]) => ({
      name: path.slice(path.lastIndexOf("node_modules/") + "node_modules/".length),
      version,
      license,
      path,
      isForDevelopment: dev,
    }));
}

/** Licences under which a dependency may be part of what we publish under Apache-2.0. */
const PERMISSIVE = new Set(["0BSD", "Apache-2.0", "BSD-2-Clause", "BSD-3-Clause", "CC0-1.0", "ISC", "MIT"]);
/** Licences of tools, which nothing that we publish contains. */
const FOR_TOOLS = new Set([
  "BlueOak-1.0.0",
  "MIT OR Apache-2.0",
  "MPL-2.0",
  "PSF-2.0",
  "Python-2.0",
  "Unlicense",
]);

/** The dependencies whose licence does not allow their use here, each with its licence. */
export function refusedLicences(): string[] {
  return dependencies()
    .filter(
      ({ license = "", isForDevelopment }) =>
        !PERMISSIVE.has(license) && !(isForDevelopment && FOR_TOOLS.has(license)),
    )
    .map(({ name, version, license }) => `${name}@${version}: ${license ?? "no licence"}`);
}

/** The licences of everything that an executable contains, with their texts where the packages have them. */
export function licenceTexts(): string {
  const parts = dependencies()
    .filter(({ isForDevelopment, name }) => !isForDevelopment && !name.startsWith("@oven/"))
    .map(
      ({ name, version, license, path }) => `${name} ${version}\n${license}\n\n${textOf(join(ROOT, path))}`,
    );
  return [RUNTIME, ...parts].join(`\n${"-".repeat(80)}\n\n`);
}

const RUNTIME =
  "Bun, the runtime\nMIT, with parts under other licences: https://bun.com/docs/project/license\n";

function textOf(folder: string): string {
  const names = existsSync(folder) ? readdirSync(folder) : [];
  const file = names.sort().find((name) => /^(?:licen[cs]e|copying)/i.test(name));
  return file ? readFileSync(join(folder, file), "utf8") : "";
}
