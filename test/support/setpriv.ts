import { join } from "node:path";

const installed = Bun.which("setpriv");
/** BusyBox has one with other options. */
const isWhole = installed && Bun.spawnSync([installed, "--pdeathsig", "KILL", "--", "true"]).success;
const own = [process.execPath, join(import.meta.dir, "setpriv-program.ts")];

/** The command `setpriv` of util-linux, or ours, which starts slower; empty elsewhere than on Linux. */
export const SETPRIV: readonly string[] = isWhole ? [installed] : process.platform === "linux" ? own : [];
