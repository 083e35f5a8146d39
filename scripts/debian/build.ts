import { copyFileSync, mkdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { createProgram } from "../../src/program.ts";
import { VERSION } from "../../src/system/version.ts";
import { temporaryFolder } from "../../test/support/folder.ts";
import { requiredProgram } from "../../test/support/installed-programs.ts";
import { runCommand } from "../../test/support/run-command.ts";
import type { Architecture } from "../image/libraries.ts";
import { licenceTexts } from "../release/dependencies.ts";
import { manualPage } from "./manual-page.ts";

const ROOT = join(import.meta.dir, "../..");
/** Who answers for the package: the author in `package.json`. */
const { author: MAINTAINER } = JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8"));

/** Debian's name of the processor, for each target that Debian's C library runs. */
export const DEBIAN_ARCHITECTURES: Readonly<Record<string, Architecture>> = {
  "linux-x64": "amd64",
  "linux-arm64": "arm64",
};

/** What a Debian package is made of. */
interface DebianPackage {
  /** The program as one file. */
  readonly executable: string;
  readonly architecture: Architecture;
  /** The time of every file, in seconds since 1970. */
  readonly time: string;
}

/**
 * Makes a Debian package. The same executable and time give the same bytes.
 *
 * @returns the path of the package in `outdir`
 */
export async function buildDebianPackage(
  { executable, architecture, time }: DebianPackage,
  outdir: string,
): Promise<string> {
  using folder = temporaryFolder();
  const tree = join(folder.path, "tree");
  const add = (path: string, content: string | Uint8Array, mode = 0o644) => {
    const file = join(tree, path);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, content, { mode });
  };

  for (const path of ["usr/bin", "var/lib/animal-store"]) mkdirSync(join(tree, path), { recursive: true });
  copyFileSync(executable, join(tree, "usr/bin/animal-store"));
  add("usr/lib/systemd/system/animal-store.service", unit());
  add("etc/animal-store/animal-store.env", part("animal-store.env"));
  // Commands that are run in the service's folder have the service's settings.
  symlinkSync("/etc/animal-store/animal-store.env", join(tree, "var/lib/animal-store/.env"));
  for (const [path, content] of await completions()) add(path, content);
  add("usr/share/man/man1/animal-store.1.gz", compressed(manualPage(createProgram([]), time)));
  const documentation = "usr/share/doc/animal-store";
  add(`${documentation}/copyright`, part("copyright"));
  add(`${documentation}/THIRD-PARTY-LICENSES.txt`, licenceTexts());
  add(`${documentation}/CHANGELOG.md.gz`, compressed(readFileSync(join(ROOT, "CHANGELOG.md"), "utf8")));
  add(`${documentation}/changelog.gz`, compressed(changelog(time)));
  add("usr/share/lintian/overrides/animal-store", part("lintian-overrides"));

  const sums = await runCommand(["sh", "-c", "find * -type f | LC_ALL=C sort | xargs md5sum"], { cwd: tree });
  add("DEBIAN/md5sums", sums.stdout);
  add("DEBIAN/conffiles", "/etc/animal-store/animal-store.env\n");
  add("DEBIAN/control", control(architecture, statSync(executable).size));
  for (const script of ["postinst", "prerm", "postrm"]) add(`DEBIAN/${script}`, part(script), 0o755);
  // Whatever the umask of this process.
  await runCommand(["chmod", "-R", "u=rwX,go=rX", tree], { cwd: ROOT });

  const file = join(outdir, `animal-store_${debianVersion()}_${architecture}.deb`);
  const options = ["--root-owner-group", "-Zgzip", "--build"];
  await runCommand([requiredProgram("dpkg-deb", "dpkg"), ...options, tree, file], {
    cwd: ROOT,
    env: { SOURCE_DATE_EPOCH: time },
  });
  return file;
}

function part(name: string): string {
  return readFileSync(join(import.meta.dir, name), "utf8");
}

/** Debian sorts what comes after `~` before the release, as npm does with `-`. */
function debianVersion(): string {
  return VERSION.replace("-", "~");
}

/** The unit of deploy/, with the places of the package. */
function unit(): string {
  const places = {
    "/opt/animal-store/bin/animal-store": "/usr/bin/animal-store",
    "/etc/animal-store.env": "/etc/animal-store/animal-store.env",
  };
  return Object.entries(places).reduce(
    (text, [from, to]) => {
      if (!text.includes(from)) throw new Error(`deploy/animal-store.service no longer names ${from}`);
      return text.replaceAll(from, to);
    },
    readFileSync(join(ROOT, "deploy/animal-store.service"), "utf8").replace(
      /^# docs\/operations.md .*\n/m,
      "",
    ),
  );
}

async function completions(): Promise<[path: string, content: string][]> {
  const of = async (shell: string) =>
    (await runCommand([join(ROOT, "bin/animal-store"), "completion", shell], { cwd: ROOT })).stdout;
  return [
    ["usr/share/bash-completion/completions/animal-store", await of("bash")],
    // zsh loads the file at the first completion, as a function of its name, and expects completions of it.
    ["usr/share/zsh/vendor-completions/_animal-store", `${await of("zsh")}_animal_store "$@"\n`],
    ["usr/share/fish/vendor_completions.d/animal-store.fish", await of("fish")],
  ];
}

function compressed(text: string): Uint8Array {
  return Bun.gzipSync(text, { level: 9 });
}

function changelog(time: string): string {
  const date = new Date(Number(time) * 1000).toUTCString().replace("GMT", "+0000");
  return `animal-store (${debianVersion()}) unstable; urgency=medium

  * Release ${VERSION}: CHANGELOG.md.gz has the changes.

 -- ${MAINTAINER}  ${date}
`;
}

function control(architecture: string, size: number): string {
  return `Package: animal-store
Version: ${debianVersion()}
Architecture: ${architecture}
Maintainer: ${MAINTAINER}
Installed-Size: ${Math.ceil(size / 1024)}
Depends: adduser, libc6 (>= 2.17)
Section: net
Priority: optional
Description: service behind a store's stock of animals
 Animal Store answers HTTP requests in JSON, exactly as its contract says, and
 keeps animals and orders in SQLite or PostgreSQL.
 .
 The package runs it as a service for one machine, with its data in
 /var/lib/animal-store and its settings in /etc/animal-store.
`;
}
