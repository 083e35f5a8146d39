import { readFileSync } from "node:fs";

/** The name under which `dlopen` finds the system's C library. */
export function libcName(): string {
  if (process.platform === "darwin") return "libSystem.dylib";
  return readFileSync("/proc/self/maps", "utf8").includes("musl") ? "libc.so" : "libc.so.6";
}
