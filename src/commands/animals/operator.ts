import { hostname } from "node:os";
import { sudoUser } from "../../config/read.ts";

/** Who runs this command, for records: the user and the machine, for example `alice@db1`. */
export function operator(): string {
  const sudo = sudoUser();
  return `${userName()}@${hostname()}${sudo === undefined ? "" : ` (sudo by ${sudo})`}`;
}

/** The name of this process's user. The runtime's `userInfo` would believe the variable USER. */
function userName(): string {
  const uid = process.getuid?.();
  try {
    const { exitCode, stdout } = Bun.spawnSync(["id", "-un"], { stderr: "ignore" });
    // In containers a user id often has no name.
    if (exitCode === 0) return stdout.toString().trim();
  } catch {
    // A small container may lack the program `id`.
  }
  return `uid ${uid}`;
}
