import {
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { requiredProgram } from "../../test/support/installed-programs.ts";
import { CACHE, Machine, runHere } from "./machine.ts";

/** Python's wheels for musl carry the C++ library that the runtime needs there, and that Debian has for glibc alone. */
const WHEEL = "kiwisolver==1.5.1";
const LIBRARIES = "/usr/local/lib/musl";

/** Where BusyBox's programs are. */
const PROGRAMS = "/opt/busybox";
export const BUSYBOX_PATH = `/usr/local/bin:${PROGRAMS}`;

/**
 * A machine as Alpine makes them: npm installs what runs on musl, and BusyBox is the shell and all other programs. Node
 * itself stays that of this machine. The C library of Debian 12 is too old for the runtime.
 */
export async function makeMuslMachine(): Promise<Machine> {
  const machine = await Machine.make("trixie", ["busybox-static", "musl"]);
  cpSync(await libraries(), join(machine.root, LIBRARIES), { recursive: true, verbatimSymlinks: true });
  const path = `/lib/x86_64-linux-musl\n${LIBRARIES}\n`;
  writeFileSync(join(machine.root, "etc/ld-musl-x86_64.path"), path);
  machine.configureNpm("libc=musl");
  mkdirSync(join(machine.root, PROGRAMS));
  const busybox = ["chroot", machine.root, "/usr/bin/busybox"];
  await runHere(...busybox, "--install", "-s", PROGRAMS);
  await runHere(...busybox, "ln", "-sf", "busybox", "/usr/bin/sh");
  // The loader of musl is its `ldd` too, by which programs know it.
  await runHere(...busybox, "ln", "-s", "/lib/ld-musl-x86_64.so.1", `${PROGRAMS}/ldd`);
  return machine;
}

/** The folder of the C++ library for musl. */
async function libraries(): Promise<string> {
  const kept = join(CACHE, WHEEL);
  if (existsSync(kept)) return kept;
  const own = join(CACHE, `${process.pid}.libraries`);
  mkdirSync(own, { recursive: true });
  const python = join(own, "venv/bin/python");
  await runHere(requiredProgram("python3"), "-m", "venv", join(own, "venv"));
  const target = [
    "--platform=musllinux_1_2_x86_64",
    "--python-version=3.12",
    "--implementation=cp",
    "--abi=cp312",
  ];
  const download = ["-m", "pip", "download", "--quiet", "--no-deps", "--only-binary=:all:", ...target];
  await runHere(python, ...download, "--dest", own, WHEEL);
  const [wheel = ""] = readdirSync(own).filter((name) => name.endsWith(".whl"));
  await runHere(python, "-m", "zipfile", "-e", join(own, wheel), join(own, "wheel"));
  const found = join(own, "wheel/kiwisolver.libs");
  const [library = ""] = readdirSync(found).filter((name) => name.startsWith("libstdc++"));
  symlinkSync(library, join(found, "libstdc++.so.6"));
  renameSync(found, kept);
  rmSync(own, { recursive: true });
  return kept;
}
