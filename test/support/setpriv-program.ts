// Starts a program with other privileges, as the `setpriv` of util-linux does, where a machine has only BusyBox's:
//
//   bin/runtime test/support/setpriv-program.ts [--reuid ID] [--regid ID] [--groups ID,… | --clear-groups] [--bounding-set -CAPABILITY,…]
//     [--pdeathsig SIGNAL] -- PROGRAM [ARG …]
import { dlopen, type Pointer, ptr } from "bun:ffi";
import { constants } from "node:os";
import { parseArgs } from "node:util";
import { libcName } from "../../src/system/libc.ts";

/** Of Linux's `prctl.h` and `capability.h`. */
const [PR_SET_PDEATHSIG, PR_CAPBSET_DROP] = [1, 24];
const CAPABILITIES: Readonly<Record<string, number>> = { dac_override: 1, dac_read_search: 2 };

const { values, positionals } = parseArgs({
  options: {
    reuid: { type: "string" },
    regid: { type: "string" },
    groups: { type: "string" },
    "clear-groups": { type: "boolean" },
    "bounding-set": { type: "string" },
    pdeathsig: { type: "string" },
  },
  allowPositionals: true,
});

const { symbols: libc } = dlopen(libcName(), {
  prctl: { args: ["i32", "u64", "u64", "u64", "u64"], returns: "i32" },
  setgroups: { args: ["u64", "ptr"], returns: "i32" },
  setresgid: { args: ["u32", "u32", "u32"], returns: "i32" },
  setresuid: { args: ["u32", "u32", "u32"], returns: "i32" },
  signal: { args: ["i32", "ptr"], returns: "ptr" },
  execvp: { args: ["ptr", "ptr"], returns: "i32" },
});

function must(call: string, result: number): void {
  if (result !== 0) throw new Error(`${call} failed`);
}

for (const name of values["bounding-set"]?.split(",") ?? []) {
  const capability = CAPABILITIES[name.slice(1)];
  if (capability === undefined || !name.startsWith("-")) throw new Error(`${name} is no known capability`);
  must("prctl", libc.prctl(PR_CAPBSET_DROP, capability, 0, 0, 0));
}
if (values["clear-groups"]) must("setgroups", libc.setgroups(0, null));
if (values.groups !== undefined) {
  const groups = Uint32Array.from(values.groups.split(","), Number);
  must("setgroups", libc.setgroups(groups.length, ptr(groups)));
}
const [group, user] = [Number(values.regid), Number(values.reuid)];
if (values.regid !== undefined) must("setresgid", libc.setresgid(group, group, group));
if (values.reuid !== undefined) must("setresuid", libc.setresuid(user, user, user));
// A change of the user would clear it.
if (values.pdeathsig !== undefined) {
  const signal = constants.signals[`SIG${values.pdeathsig}` as NodeJS.Signals];
  must("prctl", libc.prctl(PR_SET_PDEATHSIG, signal, 0, 0, 0));
}

// The runtime ignores these two, and the program would inherit that.
for (const ignored of ["SIGPIPE", "SIGXFSZ"] as const) libc.signal(constants.signals[ignored], null);
const words = positionals.map((word) => Buffer.from(`${word}\0`));
const addresses = BigUint64Array.from([...words.map((word) => BigInt(ptr(word))), 0n]);
libc.execvp(ptr(words[0] as Buffer) as Pointer, ptr(addresses));
console.error(`setpriv: ${positionals[0]} cannot be run`);
process.exit(127);
