import { hostname } from "node:os";
import { sudoUser } from "../config/read.ts";

/** Who runs this command, for records: the system's user and the machine, such as `alice@db1`. */
export function operator(): string {
  const sudo = sudoUser();
  return `${userName()}@${hostname()}${sudo === undefined ? "" : ` (sudo by ${sudo})`}`;
}

/** The name that the system has for this process's user. The runtime's `userInfo` believes the variable USER. */
function userName(): string {
  const uid = process.getuid?.();
  try {
    const { exitCode, stdout } = Bun.spawnSync(["id", "-un"], { stderr: "ignore" });
    // An id that the system has no name for is common in containers.
    if (exitCode === 0) return stdout.toString().trim();
  } catch {
    // A small container may lack the program.
  }
  return `uid ${uid}`;
}
