// Writes the files of a container image into a folder, for deploy/Dockerfile, on the Debian 12 of its first stage.
//
//   bin/runtime scripts/build-image-root.ts FOLDER
import { mkdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { runCommand } from "../test/support/run-command.ts";
import { DEBIAN_ARCHITECTURES } from "./debian/build.ts";
import { buildExecutable } from "./executable/build.ts";
import { targetsNamed } from "./executable/targets.ts";
import { copyLibraries } from "./image/libraries.ts";
import { writeRoot } from "./image/root.ts";

const [folder = ""] = Bun.argv.slice(2);
const { SOURCE_DATE_EPOCH: time = "0" } = process.env;
const [target] = targetsNamed(["here"]);
const architecture = DEBIAN_ARCHITECTURES[target?.name ?? ""];
if (!folder || !target || !architecture) throw new Error("name a folder, on Debian 12 for x64 or arm64");

const { stdout } = await runCommand(["dpkg-query", "--show", "libc6"], { cwd: "/" });
const [, libc = ""] = stdout.trim().split("\t");
mkdirSync(folder, { recursive: true });
const executable = join(folder, "animal-store");
await buildExecutable(target, executable);
await writeRoot({ executable, architecture, libc, time }, folder);
rmSync(executable);
copyLibraries(architecture, "/", folder);
