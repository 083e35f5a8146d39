import { chmodSync, copyFileSync, mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { licenceTexts } from "../release/dependencies.ts";
import { type Component, sbom } from "../release/sbom.ts";
import type { Architecture } from "./libraries.ts";

const ROOT = join(import.meta.dir, "../..");

/** What the files of an image are made of. */
interface ImageRoot {
  /** The program as one file. */
  readonly executable: string;
  readonly architecture: Architecture;
  /** The version of Debian's C library. */
  readonly libc: string;
  /** The time of the list of contents, in seconds since 1970. */
  readonly time: string;
}

/** The user of the image: what others call `nonroot`. */
export const USER_ID = 65532;

/**
 * Writes the files of an image but the C library into a folder: the program, its user, its licences, and the lists that
 * scanners read. There is no shell and no package manager.
 */
export async function writeRoot(
  { executable, architecture, libc, time }: ImageRoot,
  root: string,
): Promise<void> {
  const add = (path: string, content: string) => {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), content);
  };
  mkdirSync(join(root, "usr/bin"), { recursive: true });
  copyFileSync(executable, join(root, "usr/bin/animal-store"));
  chmodSync(join(root, "usr/bin/animal-store"), 0o755);
  mkdirSync(join(root, "tmp"));
  // Whatever the umask of this process.
  chmodSync(join(root, "tmp"), 0o1777);

  add("etc/passwd", `root:x:0:0:root:/:/\nnonroot:x:${USER_ID}:${USER_ID}:nonroot:/data:/\n`);
  add("etc/group", `root:x:0:\nnonroot:x:${USER_ID}:\n`);
  // Without this line glibc asks a name server before it reads /etc/hosts.
  add("etc/nsswitch.conf", "hosts: files dns\n");

  const documentation = "usr/share/doc/animal-store";
  mkdirSync(join(root, documentation), { recursive: true });
  copyFileSync(join(ROOT, "LICENSE"), join(root, documentation, "LICENSE"));
  add(`${documentation}/THIRD-PARTY-LICENSES.txt`, licenceTexts());
  add(`${documentation}/animal-store.cdx.json`, await sbom(time, [libcComponent(libc, architecture)]));
  // By these two files scanners know which Debian the C library is of, and so its vulnerabilities.
  add("etc/os-release", 'PRETTY_NAME="Debian GNU/Linux 12 (bookworm)"\nID=debian\nVERSION_ID="12"\n');
  add("var/lib/dpkg/status.d/libc6", packageRecord(libc, architecture));
}

function libcComponent(version: string, architecture: Architecture): Component {
  const purl = `pkg:deb/debian/libc6@${encodeURIComponent(version)}?arch=${architecture}&distro=debian-12`;
  return {
    "bom-ref": purl,
    type: "library",
    name: "libc6",
    version,
    purl,
    licenses: [{ license: { id: "LGPL-2.1-or-later" } }],
  };
}

function packageRecord(version: string, architecture: Architecture): string {
  return `Package: libc6
Status: install ok installed
Maintainer: GNU Libc Maintainers <debian-glibc@lists.debian.org>
Architecture: ${architecture}
Source: glibc
Version: ${version}
Description: GNU C Library: Shared libraries
`;
}
